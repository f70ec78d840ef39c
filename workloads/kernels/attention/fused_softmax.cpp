#include "workloads/kernels/attention/fused_softmax.hpp"

#include <array>
#include <cmath>
#include <vector>

#include "workloads/kernels/attention/softmax_rows.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;

SoftmaxRows rows_of(const FusedPlan& plan) {
  enum Scratch { kPrevious, kNegative, kFactor, kShuffled };
  return {.rows = plan.thread_rows(),
          .maximum = plan.registers.maximum,
          .previous = softmax_scratch(plan, kPrevious),
          .negative = softmax_scratch(plan, kNegative),
          .factor = softmax_scratch(plan, kFactor),
          .sum = plan.registers.sum,
          .shuffled = softmax_scratch(plan, kShuffled),
          .scale = plan.registers.scale,
          .distances = plan.row_distances()};
}

/// Calls visit(row of the thread, register) for the scores, one of every row in turn.
template <typename Visit>
void for_each_score(const FusedPlan& plan, Visit visit) {
  for (int n = 0; n < plan.score_tiles(); ++n)
    for (int column = 0; column < 2; ++column)
      for (int row = 0; row < plan.thread_rows(); ++row)
        visit(row, plan.score(row / 2, n, 2 * (row % 2) + column));
}

Instructions row_maxima(const FusedPlan& plan, bool first, bool may_be_masked) {
  const SoftmaxRows rows = rows_of(plan);
  Instructions ops;
  if (!first) ops = rows.keep_previous();
  int seen = 0;
  for_each_score(plan, [&](int row, int score) {
    const bool starts = first && seen++ < rows.rows;
    ops.push_back(arithmetic(Opcode::kFmnmx, reg(rows.maximum + row),
                             reg(starts ? score : rows.maximum + row), reg(score)));
  });
  extend(ops, rows.reduce(Opcode::kFmnmx, rows.maximum));
  if (may_be_masked) extend(ops, rows.bound_maxima());
  return ops;
}

Instructions rescaled_output(const FusedPlan& plan) {
  const int factor = rows_of(plan).factor;
  Instructions ops;
  for (int m = 0; m < plan.m_tiles(); ++m)
    for (int n = 0; n < plan.output_tiles(); ++n)
      for (int part = 0; part < 4; ++part) {
        const isa::Register o = reg(plan.output(m, n, part));
        ops.push_back(arithmetic(Opcode::kFmul, o, o, reg(factor + 2 * m + part / 2)));
      }
  return ops;
}

/// Calls visit(row of the thread, register) for the probabilities. A TF32 A fragment holds a
/// column's two rows side by side where an accumulator tile holds a row's two columns, so the
/// middle two are exchanged.
template <typename Visit>
void for_each_probability(const FusedPlan& plan, Visit visit) {
  if (!plan.is_tf32()) return for_each_score(plan, visit);
  for (int n = 0; n < plan.score_tiles(); ++n)
    for (int m = 0; m < plan.m_tiles(); ++m)
      for (int part = 0; part < 4; ++part) visit(2 * m + part % 2, plan.score(m, n, part));
}

Instructions probabilities(const FusedPlan& plan) {
  const SoftmaxRows rows = rows_of(plan);
  Instructions ops;
  const auto exponent = [&](int row, int score, int to) {
    ops.push_back(
        arithmetic(Opcode::kFfma, reg(to), reg(score), reg(rows.scale), reg(rows.negative + row)));
  };
  const auto exponential = [&](int from, int to) {
    ops.push_back(arithmetic(Opcode::kMufuEx2, reg(to), reg(from)));
  };
  if (!plan.is_tf32()) {
    for_each_score(plan, [&](int row, int score) {
      exponent(row, score, score);
      exponential(score, score);
    });
    return ops;
  }
  for (int n = 0; n < plan.score_tiles(); ++n)
    for (int m = 0; m < plan.m_tiles(); ++m) {
      const int first = plan.score(m, n, 0);
      const int moved = rows.shuffled + 2 * m + n % 2;
      exponent(2 * m, first, first);
      exponent(2 * m, first + 1, moved);
      exponent(2 * m + 1, first + 2, first + 1);
      exponent(2 * m + 1, first + 3, first + 3);
      exponential(first, first);
      exponential(first + 1, first + 1);
      exponential(moved, first + 2);
      exponential(first + 3, first + 3);
    }
  return ops;
}

Instructions row_sums(const FusedPlan& plan, bool first) {
  Instructions ops;
  std::vector<bool> is_started(static_cast<std::size_t>(plan.thread_rows()), !first);
  for_each_probability(plan, [&](int row, int score) {
    const isa::Register sum = reg(plan.registers.sum + row);
    const bool starts = !is_started[static_cast<std::size_t>(row)];
    is_started[static_cast<std::size_t>(row)] = true;
    ops.push_back(arithmetic(Opcode::kFadd, sum, starts ? isa::kZeroRegister : sum, reg(score)));
  });
  return ops;
}

/// INT8: integer sums, which arrive with kIntegerBias, become FP32 numbers times their scales.
Instructions whole_scores(const FusedPlan& plan) {
  Instructions ops;
  const bool has_scales = plan.problem.has_block_scales;
  const auto factor = [&](int row) { return reg(plan.registers.factor + row); };
  for (int row = 0; has_scales && row < plan.thread_rows(); ++row)
    ops.push_back(arithmetic(Opcode::kFmul, factor(row), reg(plan.registers.row_scale + row),
                             reg(plan.registers.key_scale)));
  for_each_score(plan, [&](int row, int score) {
    ops.push_back(with_literal(Opcode::kFadd, score, score, -kIntegerBiasValue));
    if (has_scales) ops.push_back(arithmetic(Opcode::kFmul, reg(score), reg(score), factor(row)));
  });
  return ops;
}

}  // namespace

int softmax_scratch(const FusedPlan& plan, int set) {
  return plan.registers.query + set * plan.thread_rows();
}

Instructions sum_rows(const FusedPlan& plan) {
  return rows_of(plan).reduce(Opcode::kFadd, plan.registers.sum);
}

Instructions online_softmax(const FusedPlan& plan, bool first, bool may_be_masked) {
  const SoftmaxRows rows = rows_of(plan);
  Instructions ops;
  if (plan.is_int8()) extend(ops, whole_scores(plan));
  extend(ops, row_maxima(plan, first, may_be_masked));
  const double scale = plan.score_scale() / std::log(2.0);
  for (int row = 0; row < rows.rows; ++row)
    ops.push_back(with_literal(Opcode::kFmul, rows.negative + row, rows.maximum + row, -scale));
  if (!first) extend(ops, rows.rescale_sums());
  for (int row = 0; plan.is_int8() && row < rows.rows; ++row)
    ops.push_back(with_literal(Opcode::kFadd, rows.negative + row, rows.negative + row,
                               std::log2(kProbabilitySteps)));
  // The special-function unit is the slowest; everything else runs in parallel with it. Sums are
  // delayed, so that they do not wait for a single exponential.
  Stream sums{row_sums(plan, first), 20, 100};
  Stream exponentials{probabilities(plan), 0, 85};
  Stream rescale{first ? Instructions{} : rescaled_output(plan), 5, 100};
  extend(ops, merge_evenly(std::array{exponentials, sums, rescale}));
  return ops;
}

}  // namespace tcsim::kernels
