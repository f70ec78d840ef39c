#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

#include "models/isa/cycle.hpp"
#include "sim/gpu/simulation.hpp"

namespace tcsim::gpu {
namespace {

int registers_per_warp(const sm::ResidencyParams& residency, const isa::KernelLaunch& launch) {
  const int unit = residency.register_allocation_unit;
  return ceil_div(launch.registers_per_thread * 32, unit) * unit;
}

}  // namespace

Occupancy occupancy(const config::Machine& machine, const isa::KernelLaunch& launch) {
  const sm::SmParams& sm = machine.sm;
  const sm::SharedMemoryParams& shared = sm.shared_memory;
  const int unit = shared.allocation_unit_bytes;
  const int shared_bytes = ceil_div(launch.shared_bytes_per_cta, unit) * unit +
                           (launch.shared_bytes_per_cta > 0 ? shared.reserved_bytes_per_cta : 0);
  const int warps_per_sub_core =
      sm.residency.registers / sm.sub_cores / registers_per_warp(sm.residency, launch);
  const bool fits = launch.registers_per_thread <= sm.residency.max_registers_per_thread &&
                    launch.shared_bytes_per_cta <= shared.max_bytes_per_cta &&
                    launch.warps_per_cta * 32 <= sm.residency.max_threads_per_cta;
  const std::array<std::pair<int, const char*>, 4> limits{{
      // Warps go round the sub-cores, wherever CTAs begin: every sub-core fills up.
      {warps_per_sub_core * sm.sub_cores / launch.warps_per_cta, "registers"},
      {shared_bytes == 0 ? std::numeric_limits<int>::max() : shared.max_bytes / shared_bytes,
       "shared memory"},
      {sm.residency.max_warps / launch.warps_per_cta, "warps"},
      {sm.residency.max_ctas, "CTAs"},
  }};
  const auto* const least = std::min_element(
      limits.begin(), limits.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  Occupancy result{fits ? least->first : 0, least->second, {}};
  for (const auto& [ctas, resource] : limits)
    if (ctas != std::numeric_limits<int>::max()) result.limits.push_back({resource, ctas});
  return result;
}

}  // namespace tcsim::gpu
