#include "models/functional/global_memory.hpp"

namespace tcsim::functional {

GlobalMemory::GlobalMemory(const isa::KernelLaunch& launch) {
  contents_.reserve(launch.buffers.size());
  for (const isa::Buffer& buffer : launch.buffers) contents_.emplace_back(buffer.bytes);
}

}  // namespace tcsim::functional
