#include "sim/report/traffic.hpp"

#include <set>

namespace tcsim::report {

std::optional<MinimumTraffic> minimum_traffic(const std::vector<isa::KernelLaunch>& launches) {
  MinimumTraffic traffic;
  std::set<std::uint64_t> written;
  std::set<std::uint64_t> read;
  for (const isa::KernelLaunch& launch : launches) {
    if (launch.buffers.empty()) return std::nullopt;
    for (const isa::Buffer& buffer : launch.buffers) {
      const bool comes_from_dram = buffer.input && !written.contains(buffer.base_address) &&
                                   read.insert(buffer.base_address).second;
      if (comes_from_dram) traffic.read_bytes += static_cast<std::int64_t>(buffer.bytes);
    }
    for (const isa::Buffer& buffer : launch.buffers) {
      if (!buffer.input && written.insert(buffer.base_address).second)
        traffic.write_bytes += static_cast<std::int64_t>(buffer.bytes);
    }
  }
  return traffic;
}

KernelNeeds needs_of(const isa::KernelLaunch& launch, const config::Machine& machine) {
  return {launch.warps_per_cta, launch.registers_per_thread, launch.shared_bytes_per_cta,
          gpu::occupancy(machine, launch).limits, /*idle_ctas=*/0};
}

}  // namespace tcsim::report
