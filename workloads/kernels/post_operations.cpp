#include "workloads/kernels/post_operations.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "workloads/kernels/vector/lane_vectors.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;

/// Appends one instruction for each of `count` numbers, so that their latencies overlap.
template <typename Make>
void for_each_number(Instructions& ops, int count, const Make& make) {
  for (int i = 0; i < count; ++i) ops.push_back(make(i));
}

/// x / (1 + exp(-s x)): s is 1 for SiLU, and 2 sqrt(2 / pi) (1 + 0.044715 x^2) for GELU.
Instructions sigmoid_products(bool is_gelu, int x, int count, int t) {
  Instructions ops;
  const auto literal = [&](Opcode opcode, double value) {
    for_each_number(ops, count, [&](int i) { return with_literal(opcode, t + i, t + i, value); });
  };
  const auto mufu = [&](Opcode opcode) {
    for_each_number(ops, count, [&](int i) { return arithmetic(opcode, reg(t + i), reg(t + i)); });
  };
  const auto multiply = [&](int to, int a, int b) {
    for_each_number(ops, count, [&](int i) {
      return arithmetic(Opcode::kFmul, reg(to + i), reg(a + i), reg(b + i));
    });
  };
  if (is_gelu) {
    const double slope = -2 * std::sqrt(2 / std::numbers::pi) * std::numbers::log2e;
    multiply(t, x, x);
    literal(Opcode::kFmul, 0.044715 * slope);
    literal(Opcode::kFadd, slope);
    multiply(t, t, x);
  } else {
    for_each_number(ops, count, [&](int i) {
      return with_literal(Opcode::kFmul, t + i, x + i, -std::numbers::log2e);
    });
  }
  mufu(Opcode::kMufuEx2);
  literal(Opcode::kFadd, 1);
  mufu(Opcode::kMufuRcp);
  multiply(x, x, t);
  return ops;
}

}  // namespace

Instructions scale_and_shift(int values, int count, int scale, int bias) {
  Instructions ops;
  for (int i = 0; i < count; ++i) {
    const isa::Register value = reg(values + i);
    if (scale != kNoVector && bias != kNoVector)
      ops.push_back(arithmetic(Opcode::kFfma, value, value, reg(scale + i), reg(bias + i)));
    else if (scale != kNoVector)
      ops.push_back(arithmetic(Opcode::kFmul, value, value, reg(scale + i)));
    else if (bias != kNoVector)
      ops.push_back(arithmetic(Opcode::kFadd, value, value, reg(bias + i)));
  }
  return ops;
}

Instructions add_packed(Element element, int values, int packed, int count, int scratch) {
  Instructions ops;
  for (int first = 0; first < count; first += kPostScratch) {
    const int some = std::min(kPostScratch, count - first);
    const int from = packed + first * element_bytes(element) / 4;
    const bool is_single = element == Element::kFp32;
    if (!is_single) extend(ops, widen(element, from, scratch, some));
    for (int i = 0; i < some; ++i)
      ops.push_back(arithmetic(Opcode::kFadd, reg(values + first + i), reg(values + first + i),
                               reg((is_single ? from : scratch) + i)));
  }
  return ops;
}

Instructions activate(Activation activation, int values, int count, int scratch) {
  Instructions ops;
  if (activation == Activation::kNone) return ops;
  if (activation == Activation::kRelu) {
    for_each_number(ops, count, [&](int i) {
      return arithmetic(Opcode::kFmnmx, reg(values + i), reg(values + i));
    });
    return ops;
  }
  for (int first = 0; first < count; first += kPostScratch)
    extend(ops, sigmoid_products(activation == Activation::kGelu, values + first,
                                 std::min(kPostScratch, count - first), scratch));
  return ops;
}

}  // namespace tcsim::kernels
