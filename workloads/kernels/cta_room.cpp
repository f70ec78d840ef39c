#include "workloads/kernels/cta_room.hpp"

#include "models/isa/expression.hpp"

namespace tcsim::kernels {

isa::ResidentCtas room_for(const isa::ResidencyNeeds& needs, const Target& target) {
  return isa::resident_ctas({.registers = target.registers_per_sm,
                             .register_unit = target.register_allocation_unit,
                             .sub_cores = target.sub_cores,
                             .shared_bytes = target.shared_bytes_per_sm,
                             .shared_unit_bytes = target.shared_allocation_unit,
                             .shared_reserved_bytes = target.shared_reserved_per_cta,
                             .warps = target.max_warps_per_sm,
                             .ctas = target.max_ctas_per_sm,
                             .registers_per_thread = target.max_registers_per_thread,
                             .shared_bytes_per_cta = target.shared_bytes_per_cta,
                             .threads_per_cta = target.max_threads_per_cta},
                            needs);
}

std::string why_no_room(const isa::ResidencyNeeds& needs, const Target& target) {
  const isa::ResidentCtas ctas = room_for(needs, target);
  if (ctas.least() > 0) return {};
  const auto of_most = [](int count, const char* what, int most) {
    return "needs " + std::to_string(count) + what + std::to_string(most);
  };
  if (needs.registers_per_thread > target.max_registers_per_thread)
    return of_most(needs.registers_per_thread, " registers per thread, allowed ",
                   target.max_registers_per_thread);
  if (needs.shared_bytes > target.shared_bytes_per_cta)
    return of_most(needs.shared_bytes, " bytes of shared memory, a CTA may have ",
                   target.shared_bytes_per_cta);
  if (const int threads = needs.warps * isa::kLanes; threads > target.max_threads_per_cta)
    return of_most(threads, " threads, a CTA may have ", target.max_threads_per_cta);
  if (ctas.by_registers == 0) return "needs more registers than an SM has";
  if (ctas.by_warps == 0) return "needs more warps than an SM holds";
  return "needs more shared memory than an SM has";
}

bool has_room(const isa::KernelLaunch& launch, const Target& target) {
  return room_for({.registers_per_thread = launch.registers_per_thread,
                   .shared_bytes = launch.shared_bytes_per_cta,
                   .warps = launch.warps_per_cta},
                  target)
             .least() > 0;
}

}  // namespace tcsim::kernels
