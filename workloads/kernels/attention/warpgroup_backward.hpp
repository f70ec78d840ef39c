#pragma once

#include <utility>

#include "models/isa/launch.hpp"
#include "workloads/kernels/attention/warpgroup_backward_plan.hpp"

namespace tcsim::kernels {

/// The main launch of FlashAttention-3's backward pass (mainloop_bwd_sm90_tma_gmma_ws.hpp), without
/// its buffers: a warp that loads, a warp that adds each block's contribution to dQ, and two
/// consumers.
isa::KernelLaunch make_warpgroup_backward(const WarpgroupBackwardPlan& plan);

// Parts of its programs.

/// Initialises the mbarriers.
void emit_gradient_setup(const WarpgroupBackwardPlan& plan, ProgramBuilder& builder);

/// The program of the consumers.
isa::WarpProgram gradient_consumer(const WarpgroupBackwardPlan& plan);

/// The consumer's own mbarrier, out of those from `first` on.
isa::Expression consumer_barrier(int first);

/// The ring of stages for Q, dO, dS and statistics, at a step of the CTA.
class StepRing {
 public:
  /// `step` has no quotients.
  explicit StepRing(isa::Expression step) : step_(std::move(step)) {}

  /// base + weight * (stage).
  [[nodiscard]] isa::Expression stage(std::int64_t base, std::int64_t weight) const {
    return counted(base, weight, 1, WarpgroupBackwardPlan::kStages);
  }
  /// Parity of the phase in which the stage is filled, or the other one.
  [[nodiscard]] isa::Expression parity(bool opposite) const {
    return parity_of(WarpgroupBackwardPlan::kStages, opposite);
  }
  /// Parity for an mbarrier with a phase for each step.
  [[nodiscard]] isa::Expression step_parity(bool opposite) const { return parity_of(1, opposite); }

 private:
  /// base + weight * (step / divisor modulo modulus).
  [[nodiscard]] isa::Expression counted(std::int64_t base, std::int64_t weight,
                                        std::int64_t divisor, std::int64_t modulus) const {
    if (step_.terms.empty()) return {base + weight * (step_.constant / divisor % modulus)};
    return {base, {}, {warpgroups::divided(weight, step_.constant, step_.terms, divisor, modulus)}};
  }
  [[nodiscard]] isa::Expression parity_of(std::int64_t divisor, bool opposite) const {
    return opposite ? counted(1, -1, divisor, 2) : counted(0, 1, divisor, 2);
  }

  isa::Expression step_;
};

}  // namespace tcsim::kernels
