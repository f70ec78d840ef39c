#include "workloads/kernels/attention/softmax_rows.hpp"

namespace tcsim::kernels {

using isa::Opcode;

Instructions SoftmaxRows::keep_previous() const {
  Instructions ops;
  for (int row = 0; row < rows; ++row)
    ops.push_back(arithmetic(Opcode::kMov, reg(previous + row), reg(maximum + row)));
  return ops;
}

Instructions SoftmaxRows::reduce(Opcode opcode, int first) const {
  Instructions ops;
  for (const int distance : distances) {
    for (int row = 0; row < rows; ++row)
      ops.push_back(with_immediate(arithmetic(Opcode::kShfl, reg(shuffled + row), reg(first + row)),
                                   distance));
    for (int row = 0; row < rows; ++row)
      ops.push_back(arithmetic(opcode, reg(first + row), reg(first + row), reg(shuffled + row)));
  }
  return ops;
}

Instructions SoftmaxRows::bound_maxima() const {
  constexpr double kLowest = -0x1p100;
  Instructions ops;
  for (int row = 0; row < rows; ++row)
    ops.push_back(with_literal(Opcode::kFmnmx, maximum + row, maximum + row, kLowest));
  return ops;
}

Instructions SoftmaxRows::rescale_sums() const {
  Instructions ops;
  for (int row = 0; row < rows; ++row)
    ops.push_back(arithmetic(Opcode::kFfma, reg(factor + row), reg(previous + row), reg(scale),
                             reg(negative + row)));
  for (int row = 0; row < rows; ++row)
    ops.push_back(arithmetic(Opcode::kMufuEx2, reg(factor + row), reg(factor + row)));
  for (int row = 0; row < rows; ++row)
    ops.push_back(arithmetic(Opcode::kFmul, reg(sum + row), reg(sum + row), reg(factor + row)));
  return ops;
}

isa::Instruction hide_score(ProgramBuilder& builder, int score, const isa::Expression& slack) {
  isa::Instruction hide = with_immediate(arithmetic(Opcode::kMov, reg(score)), kMinusInfinity);
  hide.guard = builder.guard({{{slack, 0}}});
  return hide;
}

}  // namespace tcsim::kernels
