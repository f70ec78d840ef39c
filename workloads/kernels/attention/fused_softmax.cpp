#include "workloads/kernels/attention/fused_softmax.hpp"

#include <array>
#include <bit>
#include <cmath>

namespace tcsim::kernels {
namespace {

using isa::Opcode;

// In place of the maximum of a row without visible keys: finite, so that differences are numbers,
// and so low that exp2 of any difference is 0.
constexpr float kLowest = -1e30F;

enum Scratch { kPrevious, kNegative, kFactor, kShuffled };

std::int32_t literal(float value) { return std::bit_cast<std::int32_t>(value); }

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
      ops.push_back(with_immediate(
          arithmetic(Opcode::kFmnmx, reg(maximum + row), reg(maximum + row)), literal(kLowest)));
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

Instructions probabilities(const FusedPlan& plan) {
  Instructions ops;
  for_each_score(plan, [&](int row, int score) {
    ops.push_back(arithmetic(Opcode::kFfma, reg(score), reg(score), reg(plan.registers.scale),
                             reg(softmax_scratch(plan, kNegative) + row)));
    ops.push_back(arithmetic(Opcode::kMufuEx2, reg(score), reg(score)));
  });
  return ops;
}

Instructions row_sums(const FusedPlan& plan, bool first) {
  Instructions ops;
  int seen = 0;
  for_each_score(plan, [&](int row, int score) {
    const isa::Register sum = reg(plan.registers.sum + row);
    const bool starts = first && seen++ < plan.thread_rows();
    ops.push_back(arithmetic(Opcode::kFadd, sum, starts ? isa::kZeroRegister : sum, reg(score)));
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
  for (const int distance : {2, 1}) {
    for (int row = 0; row < plan.thread_rows(); ++row)
      ops.push_back(with_immediate(arithmetic(Opcode::kShfl, reg(shuffled + row), reg(first + row)),
                                   distance));
    for (int row = 0; row < plan.thread_rows(); ++row)
      ops.push_back(arithmetic(opcode, reg(first + row), reg(first + row), reg(shuffled + row)));
  }
  return ops;
}

Instructions online_softmax(const FusedPlan& plan, bool first, bool may_be_masked) {
  Instructions ops = row_maxima(plan, first, may_be_masked);
  const auto scale =
      static_cast<float>(1 / (std::sqrt(static_cast<double>(plan.problem.dim)) * std::log(2.0)));
  for (int row = 0; row < plan.thread_rows(); ++row)
    ops.push_back(
        with_immediate(arithmetic(Opcode::kFmul, reg(softmax_scratch(plan, kNegative) + row),
                                  reg(plan.registers.maximum + row)),
                       literal(-scale)));
  if (!first) append(ops, rescale_factors(plan));
  // The special-function unit is the slowest; everything else runs beside it. Sums lag behind, so
  // that they do not wait for a single exponential.
  Stream sums{row_sums(plan, first), 20, 100};
  Stream exponentials{probabilities(plan), 0, 85};
  Stream rescale{first ? Instructions{} : rescaled_output(plan), 5, 100};
  append(ops, merge_evenly(std::array{exponentials, sums, rescale}));
  return ops;
}

}  // namespace tcsim::kernels
