#pragma once

#include "workloads/kernels/attention/warpgroup_backward.hpp"

namespace tcsim::kernels {

/// What a consumer computes from the scores of a step between its products: P, and dS from dP.
class GradientScores {
 public:
  /// For step `step` of the CTA. LDS read their addresses from register `address`. All arguments
  /// outlive this object.
  GradientScores(const WarpgroupBackwardPlan& plan, ProgramBuilder& builder,
                 const isa::Expression& step, int address)
      : plan_(plan), r_(plan.registers), builder_(builder), step_(step), address_(address) {}

  /// Loads the statistics at `base` that a thread needs first.
  Instructions first_statistics(int base) { return statistics(base, 0); }
  /// Scores of keys after their query, or beyond the last key, become minus infinity.
  Instructions mask_future();
  Instructions mask_end();
  /// exp2(scale * score - LSE log2(e)). Requires the first statistics of LSE.
  Instructions probabilities();
  /// P (dP - delta). Requires the first statistics of delta.
  Instructions score_gradients();

 private:
  Instructions statistics(int base, int turn);
  template <typename First, typename Second>
  Instructions with_statistics(int base, First first, Second second);
  void shuffle(int number, Instructions& ops) const;
  [[nodiscard]] isa::Expression query_of(int i) const;
  [[nodiscard]] isa::Expression key_of(int i) const;

  const WarpgroupBackwardPlan& plan_;
  const WarpgroupBackwardRegisters& r_;
  ProgramBuilder& builder_;
  const isa::Expression& step_;
  const int address_;
};

}  // namespace tcsim::kernels
