#include "workloads/kernels/tile_math.hpp"

namespace tcsim::kernels {

void WarpGrid::add_row(isa::Expression& sum, std::int64_t weight) const {
  if (warps_m > 1) add_field(sum, {isa::Variable::kWarp, 0, log2_exact(warps_m), weight});
}

void WarpGrid::add_column(isa::Expression& sum, std::int64_t weight) const {
  if (warps_n == 1) return;
  const auto divisor = static_cast<std::uint32_t>(warps_m);
  const auto modulus = static_cast<std::uint32_t>(groups > 1 ? warps_n : 0);
  add_term(sum, {.variable = isa::Variable::kWarp,
                 .coefficient = weight,
                 .divisor = divisor,
                 .modulus = modulus});
}

void WarpGrid::add_group(isa::Expression& sum, std::int64_t weight) const {
  if (groups == 1) return;
  add_term(sum, {.variable = isa::Variable::kWarp,
                 .coefficient = weight,
                 .divisor = static_cast<std::uint32_t>(warps_m * warps_n)});
}

}  // namespace tcsim::kernels
