#include "workloads/kernels/attention/panel_fragments.hpp"

#include <utility>

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

isa::Instruction moving_fragment(ProgramBuilder& builder, const AddressWork& work,
                                 const SharedPanels& panels, int row, int column, bool transposed,
                                 int to, const isa::Expression& stage) {
  isa::Address place = matrix_rows(panels, constant(std::int64_t{row} * kLdsmBlock),
                                   column * kLdsmBlock, transposed ? 3 : 4);
  add_scaled(place.offset, stage, 1);
  return load(transposed ? isa::Opcode::kLdsmTX4 : isa::Opcode::kLdsmX4, reg(to),
              reg(work.fragment_address_b()), builder.access({.shared = std::move(place)}));
}

}  // namespace tcsim::kernels
