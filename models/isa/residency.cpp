#include "models/isa/residency.hpp"

#include <algorithm>

#include "models/isa/cycle.hpp"
#include "models/isa/expression.hpp"

namespace tcsim::isa {

int ResidentCtas::least() const {
  if (!too_much.empty()) return 0;
  return std::min({by_registers, by_shared_memory, by_warps, by_ctas});
}

ResidentCtas resident_ctas(const ResidencyLimits& limits, const ResidencyNeeds& needs) {
  const auto allocated = [](int wanted, int unit) { return ceil_div(wanted, unit) * unit; };
  // Warps rotate over the sub-cores, wherever CTAs start: every sub-core fills up.
  const int warps_per_sub_core =
      limits.registers / limits.sub_cores /
      allocated(needs.registers_per_thread * kLanes, limits.register_unit);
  ResidentCtas ctas;
  ctas.by_registers = warps_per_sub_core * limits.sub_cores / needs.warps;
  if (needs.shared_bytes > 0)
    ctas.by_shared_memory =
        limits.shared_bytes /
        (allocated(needs.shared_bytes, limits.shared_unit_bytes) + limits.shared_reserved_bytes);
  ctas.by_warps = limits.warps / needs.warps;
  ctas.by_ctas = limits.ctas;
  if (needs.registers_per_thread > limits.registers_per_thread)
    ctas.too_much = "registers of a thread";
  else if (needs.shared_bytes > limits.shared_bytes_per_cta)
    ctas.too_much = "shared memory of a CTA";
  else if (needs.warps * kLanes > limits.threads_per_cta)
    ctas.too_much = "threads of a CTA";
  return ctas;
}

}  // namespace tcsim::isa
