#include "workloads/kernels/attention/warpgroup_softmax.hpp"

#include <array>
#include <bit>

#include "workloads/kernels/attention/softmax_rows.hpp"
#include "workloads/kernels/output_conversion.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;
using Plan = WarpgroupForwardPlan;

SoftmaxRows rows_of(const Plan& plan) {
  const WarpgroupRegisters& r = plan.registers;
  return {.rows = Plan::kThreadRows,
          .maximum = r.maximum,
          .previous = r.factor,
          .negative = r.negative,
          .factor = r.factor,
          .sum = r.sum,
          .shuffled = r.shuffled,
          .scale = r.scale,
          .distances = {2, 1}};
}

/// The row of the thread that accumulator number `index` belongs to.
int row_of(int index) { return index / 2 % 2; }

Instructions row_maxima(const Plan& plan, bool first, bool may_be_masked) {
  const WarpgroupRegisters& r = plan.registers;
  const SoftmaxRows rows = rows_of(plan);
  Instructions ops;
  if (!first) ops = rows.keep_previous();
  for (int i = 0; i < plan.score_registers(); ++i) {
    const int maximum = r.maximum + row_of(i);
    const bool starts = first && (i == 0 || i == 2);
    ops.push_back(arithmetic(Opcode::kFmnmx, reg(maximum), reg(starts ? r.scores + i : maximum),
                             reg(r.scores + i)));
  }
  extend(ops, rows.reduce(Opcode::kFmnmx, r.maximum));
  if (may_be_masked) extend(ops, rows.bound_maxima());
  return ops;
}

/// -scale * the maximum.
Instructions negative_maxima(const Plan& plan) {
  const WarpgroupRegisters& r = plan.registers;
  Instructions ops;
  for (int row = 0; row < Plan::kThreadRows; ++row) {
    const isa::Register to = reg(r.negative + row);
    const isa::Register maximum = reg(r.maximum + row);
    const double scale = std::bit_cast<float>(plan.softmax_scale());
    ops.push_back(plan.problem.has_head_scales
                      ? arithmetic(Opcode::kFmul, to, maximum, reg(r.negative_scale))
                      : with_literal(Opcode::kFmul, to, maximum, -scale));
  }
  return ops;
}

/// A fragments of E4M3: a register holds four keys of a row, two of each of eight neighbours, so
/// that keys have the order of transposed V (warpgroup_transpose.hpp).
Instructions pack_bytes(const Plan& plan) {
  constexpr int kEight = 4;  // scores of eight keys
  const WarpgroupRegisters& r = plan.registers;
  Instructions ops;
  for (int sixteen = 0; sixteen < plan.score_registers(); sixteen += 2 * kEight)
    for (int row = 0; row < Plan::kThreadRows; ++row) {
      const isa::Register to = reg(r.probabilities + sixteen / kEight + row);
      const int left = r.scores + sixteen + 2 * row;
      const int right = left + kEight;
      ops.push_back(
          arithmetic(Opcode::kF2fpE4m3, to, reg(right + 1), reg(right), isa::kZeroRegister));
      ops.push_back(arithmetic(Opcode::kF2fpE4m3, to, reg(left + 1), reg(left), to));
    }
  return ops;
}

}  // namespace

Instructions sum_rows(const Plan& plan) {
  return rows_of(plan).reduce(Opcode::kFadd, plan.registers.sum);
}

Instructions warpgroup_softmax(const Plan& plan, bool first, bool may_be_masked) {
  const WarpgroupRegisters& r = plan.registers;
  Instructions ops = row_maxima(plan, first, may_be_masked);
  extend(ops, negative_maxima(plan));
  if (!first) extend(ops, rows_of(plan).rescale_sums());
  for (int row = 0; plan.probability_exponent() != 0 && row < Plan::kThreadRows; ++row)
    ops.push_back(with_literal(Opcode::kFadd, r.negative + row, r.negative + row,
                               plan.probability_exponent()));
  Instructions exponentials;
  Instructions sums;
  for (int i = 0; i < plan.score_registers(); ++i) {
    const isa::Register score = reg(r.scores + i);
    const isa::Register sum = reg(r.sum + row_of(i));
    const bool starts = first && (i == 0 || i == 2);
    exponentials.push_back(
        arithmetic(Opcode::kFfma, score, score, reg(r.scale), reg(r.negative + row_of(i))));
    exponentials.push_back(arithmetic(Opcode::kMufuEx2, score, score));
    sums.push_back(arithmetic(Opcode::kFadd, sum, starts ? isa::kZeroRegister : sum, score));
  }
  // Sums are delayed, so that they do not wait for a single exponential.
  extend(ops, merge_evenly(std::array{Stream{exponentials, 0, 85}, Stream{sums, 20, 100}}));
  return ops;
}

Instructions rescale_output(const Plan& plan) {
  Instructions ops;
  for (int i = 0; i < plan.output_registers(); ++i) {
    const isa::Register output = reg(plan.registers.output + i);
    ops.push_back(
        arithmetic(Opcode::kFmul, output, output, reg(plan.registers.factor + row_of(i))));
  }
  return ops;
}

isa::Instruction packed(const Plan& plan, int to, int low, int high) {
  return arithmetic(packing_opcode(attention_result(plan.problem.element)), reg(to), reg(high),
                    reg(low));
}

Instructions pack_probabilities(const Plan& plan) {
  const WarpgroupRegisters& r = plan.registers;
  if (plan.bytes() == 1) return pack_bytes(plan);
  Instructions ops;
  for (int i = 0; i < plan.score_registers(); i += 2)
    ops.push_back(packed(plan,
                         plan.tile.probabilities_in_shared ? r.scores + i : r.probabilities + i / 2,
                         r.scores + i, r.scores + i + 1));
  return ops;
}

}  // namespace tcsim::kernels
