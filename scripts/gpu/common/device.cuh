#pragma once

#include <string>

#include "scripts/gpu/common/board.hpp"
#include "scripts/gpu/common/cuda_check.cuh"

namespace tcsim::measure {

/// GPU 0 of the process (CUDA_VISIBLE_DEVICES chooses another).
struct Device {
  std::string name;
  Board board;
  int sm = 0;  ///< compute capability: 80 for 8.0
  int sms = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t l2_bytes = 0;
  std::string pci_bus_id;
};

/// Throws ProgramError with a message if there is no GPU.
inline Device find_device() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0)
    throw ProgramError(
        kNotCovered,
        std::string("no NVIDIA GPU can be used here: ") +
            (count == 0 && status == cudaSuccess ? "none is visible" : cudaGetErrorString(status)));
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  Device device;
  device.name = properties.name;
  device.sm = 10 * properties.major + properties.minor;
  device.sms = properties.multiProcessorCount;
  device.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  device.l2_bytes = properties.l2CacheSize;
  device.board = board_of(device.name, device.memory_bytes, device.sm);
  char bus_id[32] = "";
  check(cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, 0), "cudaDeviceGetPCIBusId");
  device.pci_bus_id = bus_id;
  return device;
}

#ifdef TC_SM
/// As find_device; throws ProgramError also for a GPU that this program was not compiled for.
inline Device open_device() {
  const Device device = find_device();
  if (device.sm != TC_SM)
    throw ProgramError(kNotCovered, device.name + " has compute capability " +
                                        std::to_string(device.sm) +
                                        ", this program was compiled for " + std::to_string(TC_SM));
  return device;
}
#endif

}  // namespace tcsim::measure
