#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

#include "models/isa/cycle.hpp"
#include "sim/gpu/simulation.hpp"

namespace tcsim::gpu {
namespace {

/// Warps of the CTA on the fullest sub-core: warp i goes to sub-core i modulo their number.
int warps_on_fullest_sub_core(const isa::KernelLaunch& launch, int sub_cores) {
  return ceil_div(launch.warps_per_cta, sub_cores);
}

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
  const int warps_here = warps_on_fullest_sub_core(launch, sm.sub_cores);
  const int warps_per_sub_core =
      sm.residency.registers / sm.sub_cores / registers_per_warp(sm.residency, launch);
  const bool fits = launch.registers_per_thread <= sm.residency.max_registers_per_thread &&
                    launch.shared_bytes_per_cta <= shared.max_bytes_per_cta &&
                    launch.warps_per_cta * 32 <= sm.residency.max_threads_per_cta;
  const std::array<std::pair<int, const char*>, 4> limits{{
      {warps_per_sub_core / warps_here, "registers"},
      {shared_bytes == 0 ? std::numeric_limits<int>::max() : shared.max_bytes / shared_bytes,
       "shared memory"},
      {sm.residency.max_warps / sm.sub_cores / warps_here, "warps"},
      {sm.residency.max_ctas, "CTAs"},
  }};
  const auto* const least = std::min_element(
      limits.begin(), limits.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return {fits ? least->first : 0, least->second};
}

}  // namespace tcsim::gpu
