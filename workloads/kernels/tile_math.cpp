#include "workloads/kernels/tile_math.hpp"

namespace tcsim::kernels {

void WarpGrid::add_row(isa::Expression& sum, std::int64_t weight) const {
  if (warps_m > 1) add_field(sum, {isa::Variable::kWarp, 0, log2_exact(warps_m), weight});
}

void WarpGrid::add_column(isa::Expression& sum, std::int64_t weight) const {
  if (warps_n > 1)
    add_term(sum, {.variable = isa::Variable::kWarp,
                   .coefficient = weight,
                   .divisor = static_cast<std::uint32_t>(warps_m)});
}

}  // namespace tcsim::kernels
