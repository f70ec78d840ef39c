#include "workloads/kernels/attention/fused_softmax.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <vector>

namespace tcsim::kernels {
namespace {

using isa::Opcode;

// In place of the maximum of a row without visible keys: finite, so that differences are numbers,
// so low that exp2 of any difference is 0, and a power of two, so that its product with the scale
// is exact and cancels where the next block has no visible keys either.
constexpr float kLowest = -0x1p100F;

enum Scratch { kPrevious, kNegative, kFactor, kShuffled };

/// Calls visit(row of the thread, register) for the scores, one of every row in turn.
template <typename Visit>
void for_each_score(const FusedPlan& plan, Visit visit) {
  for (int n = 0; n < plan.score_tiles(); ++n)
    for (int column = 0; column < 2; ++column)
      for (int row = 0; row < plan.thread_rows(); ++row)
        visit(row, plan.score(row / 2, n, 2 * (row % 2) + column));
}

void append(Instructions& to, const Instructions& from) {
  to.insert(to.end(), from.begin(), from.end());
}

Instructions row_maxima(const FusedPlan& plan, bool first, bool may_be_masked) {
  const int maximum = plan.registers.maximum;
  const int rows = plan.thread_rows();
  Instructions ops;
  if (!first)
    for (int row = 0; row < rows; ++row)
      ops.push_back(arithmetic(Opcode::kMov, reg(softmax_scratch(plan, kPrevious) + row),
                               reg(maximum + row)));
  int seen = 0;
  for_each_score(plan, [&](int row, int score) {
    const bool starts = first && seen++ < rows;
    ops.push_back(arithmetic(Opcode::kFmnmx, reg(maximum + row),
                             reg(starts ? score : maximum + row), reg(score)));
  });
  append(ops, reduce_rows(plan, Opcode::kFmnmx, maximum));
  if (may_be_masked)
    for (int row = 0; row < rows; ++row)
      ops.push_back(
          with_immediate(arithmetic(Opcode::kFmnmx, reg(maximum + row), reg(maximum + row)),
                         fp32_literal(kLowest)));
  return ops;
}

/// What the output so far and the sums so far are multiplied by.
Instructions rescale_factors(const FusedPlan& plan) {
  Instructions ops;
  const int rows = plan.thread_rows();
  const int factor = softmax_scratch(plan, kFactor);
  for (int row = 0; row < rows; ++row)
    ops.push_back(arithmetic(Opcode::kFfma, reg(factor + row),
                             reg(softmax_scratch(plan, kPrevious) + row), reg(plan.registers.scale),
                             reg(softmax_scratch(plan, kNegative) + row)));
  for (int row = 0; row < rows; ++row)
    ops.push_back(arithmetic(Opcode::kMufuEx2, reg(factor + row), reg(factor + row)));
  for (int row = 0; row < rows; ++row)
    ops.push_back(arithmetic(Opcode::kFmul, reg(plan.registers.sum + row),
                             reg(plan.registers.sum + row), reg(factor + row)));
  return ops;
}

Instructions rescaled_output(const FusedPlan& plan) {
  Instructions ops;
  for (int m = 0; m < plan.m_tiles(); ++m)
    for (int n = 0; n < plan.output_tiles(); ++n)
      for (int part = 0; part < 4; ++part) {
        const isa::Register o = reg(plan.output(m, n, part));
        ops.push_back(arithmetic(Opcode::kFmul, o, o,
                                 reg(softmax_scratch(plan, kFactor) + 2 * m + part / 2)));
      }
  return ops;
}

/// The same for probabilities. An A fragment of TF32 holds a column's two rows side by side where
/// an accumulator tile holds a row's two columns, so the middle ones have changed places.
template <typename Visit>
void for_each_probability(const FusedPlan& plan, Visit visit) {
  if (!plan.is_tf32()) return for_each_score(plan, visit);
  for (int n = 0; n < plan.score_tiles(); ++n)
    for (int m = 0; m < plan.m_tiles(); ++m)
      for (int part = 0; part < 4; ++part) visit(2 * m + part % 2, plan.score(m, n, part));
}

Instructions probabilities(const FusedPlan& plan) {
  Instructions ops;
  const auto exponent = [&](int row, int score, int to) {
    ops.push_back(arithmetic(Opcode::kFfma, reg(to), reg(score), reg(plan.registers.scale),
                             reg(softmax_scratch(plan, kNegative) + row)));
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
      const int moved = softmax_scratch(plan, kShuffled) + 2 * m + n % 2;
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

/// INT8: whole sums, which came with kIntegerBias, as FP32 numbers, times their scales.
Instructions whole_scores(const FusedPlan& plan) {
  Instructions ops;
  const bool has_scales = plan.problem.has_block_scales;
  const auto factor = [&](int row) { return reg(plan.registers.factor + row); };
  for (int row = 0; has_scales && row < plan.thread_rows(); ++row)
    ops.push_back(arithmetic(Opcode::kFmul, factor(row), reg(plan.registers.row_scale + row),
                             reg(plan.registers.key_scale)));
  for_each_score(plan, [&](int row, int score) {
    ops.push_back(with_immediate(arithmetic(Opcode::kFadd, reg(score), reg(score)),
                                 fp32_literal(-kIntegerBiasValue)));
    if (has_scales) ops.push_back(arithmetic(Opcode::kFmul, reg(score), reg(score), factor(row)));
  });
  return ops;
}

}  // namespace

int softmax_scratch(const FusedPlan& plan, int set) {
  return plan.registers.query + set * plan.thread_rows();
}

Instructions reduce_rows(const FusedPlan& plan, Opcode opcode, int first) {
  Instructions ops;
  const int shuffled = softmax_scratch(plan, kShuffled);
  for (const int distance : plan.row_distances()) {
    for (int row = 0; row < plan.thread_rows(); ++row)
      ops.push_back(with_immediate(arithmetic(Opcode::kShfl, reg(shuffled + row), reg(first + row)),
                                   distance));
    for (int row = 0; row < plan.thread_rows(); ++row)
      ops.push_back(arithmetic(opcode, reg(first + row), reg(first + row), reg(shuffled + row)));
  }
  return ops;
}

Instructions online_softmax(const FusedPlan& plan, bool first, bool may_be_masked) {
  Instructions ops;
  if (plan.is_int8()) append(ops, whole_scores(plan));
  append(ops, row_maxima(plan, first, may_be_masked));
  const auto scale = static_cast<float>(plan.score_scale() / std::log(2.0));
  for (int row = 0; row < plan.thread_rows(); ++row)
    ops.push_back(
        with_immediate(arithmetic(Opcode::kFmul, reg(softmax_scratch(plan, kNegative) + row),
                                  reg(plan.registers.maximum + row)),
                       fp32_literal(-scale)));
  if (!first) append(ops, rescale_factors(plan));
  if (plan.is_int8())
    for (int row = 0; row < plan.thread_rows(); ++row) {
      const isa::Register negative = reg(softmax_scratch(plan, kNegative) + row);
      ops.push_back(with_immediate(arithmetic(Opcode::kFadd, negative, negative),
                                   fp32_literal(static_cast<float>(std::log2(kProbabilitySteps)))));
    }
  // The special-function unit is the slowest; everything else runs beside it. Sums lag behind, so
  // that they do not wait for a single exponential.
  Stream sums{row_sums(plan, first), 20, 100};
  Stream exponentials{probabilities(plan), 0, 85};
  Stream rescale{first ? Instructions{} : rescaled_output(plan), 5, 100};
  append(ops, merge_evenly(std::array{exponentials, sums, rescale}));
  return ops;
}

}  // namespace tcsim::kernels
