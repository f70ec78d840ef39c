#include "workloads/kernels/vector/element_arithmetic.hpp"

#include <cassert>
#include <cmath>
#include <numbers>

namespace tcsim::kernels {
namespace {

using isa::Opcode;

constexpr double kQuantizationScale = 1.0 / 16;

/// Register t becomes 1 / (1 + 2^t).
void logistic(int t, Instructions& ops) {
  ops.push_back(arithmetic(Opcode::kMufuEx2, reg(t), reg(t)));
  ops.push_back(with_literal(Opcode::kFadd, t, t, 1));
  ops.push_back(arithmetic(Opcode::kMufuRcp, reg(t), reg(t)));
}

/// x becomes 1 / (1 + exp(-slope x)).
void sigmoid(int x, double slope, Instructions& ops) {
  ops.push_back(with_literal(Opcode::kFmul, x, x, -slope * std::numbers::log2e));
  logistic(x, ops);
}

void silu(int x, int t, Instructions& ops) {
  ops.push_back(with_literal(Opcode::kFmul, t, x, -std::numbers::log2e));
  logistic(t, ops);
  ops.push_back(arithmetic(Opcode::kFmul, reg(x), reg(x), reg(t)));
}

/// x / (1 + 2^(slope (x + 0.044715 x^3))).
void gelu(int x, int t, Instructions& ops) {
  const double slope = -2 * std::sqrt(2 / std::numbers::pi) * std::numbers::log2e;
  ops.push_back(arithmetic(Opcode::kFmul, reg(t), reg(x), reg(x)));
  ops.push_back(with_literal(Opcode::kFmul, t, t, 0.044715 * slope));
  ops.push_back(with_literal(Opcode::kFadd, t, t, slope));
  ops.push_back(arithmetic(Opcode::kFmul, reg(t), reg(t), reg(x)));
  logistic(t, ops);
  ops.push_back(arithmetic(Opcode::kFmul, reg(x), reg(x), reg(t)));
}

void cut_at_zero(int x, Instructions& ops) {
  ops.push_back(arithmetic(Opcode::kFmnmx, reg(x), reg(x)));
}

}  // namespace

void append_arithmetic(VectorOperation operation, const ElementRegisters& registers,
                       Instructions& ops) {
  const int x = registers.x;
  const int y = registers.y;
  const int t = registers.scratch;
  const auto add = [&] { ops.push_back(arithmetic(Opcode::kFadd, reg(x), reg(x), reg(y))); };
  const auto multiply = [&] { ops.push_back(arithmetic(Opcode::kFmul, reg(x), reg(x), reg(y))); };
  switch (operation) {
    case VectorOperation::kAdd:
      return add();
    case VectorOperation::kAddRelu:
      add();
      return cut_at_zero(x, ops);
    case VectorOperation::kMultiply:
      return multiply();
    case VectorOperation::kRelu:
      return cut_at_zero(x, ops);
    case VectorOperation::kQuantize:
    case VectorOperation::kQuantizeE4m3:
      return ops.push_back(with_literal(Opcode::kFmul, x, x, 1 / kQuantizationScale));
    case VectorOperation::kDequantize:
      return ops.push_back(with_literal(Opcode::kFmul, x, x, kQuantizationScale));
    case VectorOperation::kSigmoid:
      return sigmoid(x, 1, ops);
    case VectorOperation::kTanh:
      sigmoid(x, 2, ops);
      ops.push_back(arithmetic(Opcode::kFadd, reg(x), reg(x), reg(x)));
      return ops.push_back(with_literal(Opcode::kFadd, x, x, -1));
    case VectorOperation::kGelu:
      return gelu(x, t, ops);
    case VectorOperation::kSilu:
      return silu(x, t, ops);
    case VectorOperation::kSiluAndMul:
      silu(x, t, ops);
      return multiply();
    case VectorOperation::kBias:
      return add();
    case VectorOperation::kScaleBias:
      return ops.push_back(arithmetic(Opcode::kFfma, reg(x), reg(x), reg(y), reg(t)));
    case VectorOperation::kCopy:
    case VectorOperation::kToFp32:
    case VectorOperation::kFromFp32:
      return;
    case VectorOperation::kSoftmax:
    case VectorOperation::kLayerNorm:
    case VectorOperation::kRmsNorm:
      assert(false && "sums over rows");
  }
}

}  // namespace tcsim::kernels
