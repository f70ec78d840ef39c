#include "sim/report/traffic.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace tcsim::report {
namespace {

std::uint64_t written_bytes(const isa::Buffer& output) {
  return output.replaced.value_or(output.bytes);
}

}  // namespace

std::optional<MinimumTraffic> minimum_traffic(const std::vector<isa::KernelLaunch>& launches) {
  MinimumTraffic traffic;
  std::map<std::uint64_t, isa::Buffer> written;    // by address
  std::map<std::uint64_t, std::uint64_t> results;  // bytes, by address
  std::set<std::uint64_t> read;
  for (const isa::KernelLaunch& launch : launches) {
    if (launch.buffers.empty()) return std::nullopt;
    for (const isa::Buffer& buffer : launch.buffers) {
      if (!buffer.input || buffer.flags) continue;
      const auto earlier = written.find(buffer.base_address);
      std::uint64_t bytes = buffer.bytes;
      if (earlier != written.end()) {
        bytes -= std::min(bytes, written_bytes(earlier->second));
        if (!earlier->second.replaced) results.erase(buffer.base_address);  // passed on
      }
      if (read.insert(buffer.base_address).second)
        traffic.read_bytes += static_cast<std::int64_t>(bytes);
    }
    for (const isa::Buffer& buffer : launch.buffers) {
      if (buffer.input || buffer.flags || buffer.scratch) continue;
      written[buffer.base_address] = buffer;
      results[buffer.base_address] = written_bytes(buffer);
    }
  }
  for (const auto& [address, bytes] : results)
    traffic.write_bytes += static_cast<std::int64_t>(bytes);
  return traffic;
}

KernelNeeds needs_of(const isa::KernelLaunch& launch, const config::Machine& machine) {
  return {launch.warps_per_cta, launch.registers_per_thread, launch.shared_bytes_per_cta,
          gpu::occupancy(machine, launch).limits, /*idle_ctas=*/0};
}

}  // namespace tcsim::report
