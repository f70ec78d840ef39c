#include "sim/gpu/occupancy.hpp"

#include <array>
#include <utility>

#include "models/isa/residency.hpp"

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
                          .ctas = sm.residency.max_ctas,
                          .registers_per_thread = sm.residency.max_registers_per_thread,
                          .shared_bytes_per_cta = shared.max_bytes_per_cta,
                          .threads_per_cta = sm.residency.max_threads_per_cta},
                         {.registers_per_thread = launch.registers_per_thread,
                          .shared_bytes = launch.shared_bytes_per_cta,
                          .warps = launch.warps_per_cta});
  const std::array<std::pair<int, const char*>, 4> limits{{{ctas.by_registers, "registers"},
                                                           {ctas.by_shared_memory, "shared memory"},
                                                           {ctas.by_warps, "warps"},
                                                           {ctas.by_ctas, "CTAs"}}};
  Occupancy result{ctas.least(), std::string(ctas.too_much), {}};
  for (const auto& [count, resource] : limits) {
    if (count == ctas.least() && result.limit.empty()) result.limit = resource;
    if (count != isa::ResidentCtas::kUnlimited) result.limits.push_back({resource, count});
  }
  return result;
}

std::int64_t resident_clusters(const config::Machine& machine, const isa::KernelLaunch& launch) {
  const int size = launch.cluster_size();
  if (size > 1 && size > machine.sm.cluster.largest) return 0;
  const std::int64_t ctas = occupancy(machine, launch).ctas_per_sm;
  std::int64_t clusters = 0;
  for (const int sms : machine.gpu.sms_per_gpc)
    if (sms >= size) clusters += sms * ctas / size;
  return clusters;
}

std::int64_t resident_ctas(const config::Machine& machine, const isa::KernelLaunch& launch) {
  const int size = launch.cluster_size();
  if (size > 1) return size * resident_clusters(machine, launch);
  return std::int64_t{machine.gpu.sms} * occupancy(machine, launch).ctas_per_sm;
}

}  // namespace tcsim::gpu
