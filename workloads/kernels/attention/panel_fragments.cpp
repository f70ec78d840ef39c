#include "workloads/kernels/attention/panel_fragments.hpp"

#include "workloads/kernels/expression_math.hpp"

namespace tcsim::kernels {

isa::Address matrix_rows(const SharedPanels& panels, isa::Expression first_row, int column,
                         int row_bit) {
  constexpr int kHalf = 8;
  add_field(first_row, {isa::Variable::kLane, 0, 3, 1});
  add_field(first_row, {isa::Variable::kLane, row_bit, 1, kHalf});
  isa::Expression beyond;
  add_field(beyond, {isa::Variable::kLane, row_bit == 3 ? 4 : 3, 1, kHalf});
  return panels.at(first_row, column, beyond);
}

}  // namespace tcsim::kernels
