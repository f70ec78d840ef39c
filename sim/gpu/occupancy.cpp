#include <array>
#include <string>
#include <utility>

#include "models/isa/residency.hpp"
#include "sim/gpu/simulation.hpp"

namespace tcsim::gpu {

Occupancy occupancy(const config::Machine& machine, const isa::KernelLaunch& launch) {
  const sm::SmParams& sm = machine.sm;
  const sm::SharedMemoryParams& shared = sm.shared_memory;
  const isa::ResidentCtas ctas =
      isa::resident_ctas({.registers = sm.residency.registers,
                          .register_unit = sm.residency.register_allocation_unit,
                          .sub_cores = sm.sub_cores,
                          .shared_bytes = shared.max_bytes,
                          .shared_unit_bytes = shared.allocation_unit_bytes,
                          .shared_reserved_bytes = shared.reserved_bytes_per_cta,
                          .warps = sm.residency.max_warps,
                          .ctas = sm.residency.max_ctas},
                         {.registers_per_thread = launch.registers_per_thread,
                          .shared_bytes = launch.shared_bytes_per_cta,
                          .warps = launch.warps_per_cta});
  const bool fits = launch.registers_per_thread <= sm.residency.max_registers_per_thread &&
                    launch.shared_bytes_per_cta <= shared.max_bytes_per_cta &&
                    launch.warps_per_cta * 32 <= sm.residency.max_threads_per_cta;
  const std::array<std::pair<int, const char*>, 4> limits{{{ctas.by_registers, "registers"},
                                                           {ctas.by_shared_memory, "shared memory"},
                                                           {ctas.by_warps, "warps"},
                                                           {ctas.by_ctas, "CTAs"}}};
  Occupancy result{fits ? ctas.least() : 0, {}, {}};
  for (const auto& [count, resource] : limits) {
    if (count == ctas.least() && result.limit.empty()) result.limit = resource;
    if (count != isa::ResidentCtas::kUnlimited) result.limits.push_back({resource, count});
  }
  return result;
}

}  // namespace tcsim::gpu
