#include "workloads/kernels/attention/row_dot.hpp"

#include <bit>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/expression_math.hpp"
#include "workloads/kernels/vector/lane_vectors.hpp"

namespace tcsim::kernels {

using isa::Opcode;

int RowDot::lanes() const {
  return static_cast<int>(
      std::bit_ceil(static_cast<std::uint64_t>(ceil_div<std::int64_t>(dim, kLaneElements))));
}

isa::Expression RowDot::column() const {
  isa::Expression column;
  add_field(column, {isa::Variable::kLane, 0, log2_exact(lanes()), kLaneElements});
  return column;
}

void RowDot::emit(ProgramBuilder& builder, AddressWork& work, const isa::Expression& offset,
                  int guard) const {
  for (int i = 0; i < kLeft; i += 2) builder.append(arithmetic(Opcode::kCs2r, reg(i)));
  for (const auto& [buffer, to] : {std::pair(0, kLoadedLeft), std::pair(1, kLoadedRight)})
    builder.append(load(Opcode::kLdg128, reg(to), work.pointer(buffer),
                        builder.access({.buffer = buffer, .global = {.offset = offset}}), guard));
  builder.append(widen(element, kLoadedLeft, kLeft, kLaneElements));
  builder.append(widen(element, kLoadedRight, kRight, kLaneElements));
  for (int i = 0; i < kLaneElements; ++i)
    builder.append(arithmetic(Opcode::kFfma, reg(kSum), reg(kLeft + i), reg(kRight + i),
                              i == 0 ? isa::kZeroRegister : reg(kSum)));
  for (int distance = lanes() / 2; distance > 0; distance /= 2) {
    builder.append(with_immediate(arithmetic(Opcode::kShfl, reg(kShuffled), reg(kSum)), distance));
    builder.append(arithmetic(Opcode::kFadd, reg(kSum), reg(kSum), reg(kShuffled)));
  }
}

}  // namespace tcsim::kernels
