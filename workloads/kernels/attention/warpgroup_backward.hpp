#pragma once

#include <utility>

#include "models/isa/launch.hpp"
#include "workloads/kernels/attention/stage_ring.hpp"
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

/// The ring of stages for Q, dO, dS and statistics, at a step of the CTA, which has no quotients.
inline StageRing step_ring(isa::Expression step) {
  return {std::move(step), WarpgroupBackwardPlan::kStages};
}

}  // namespace tcsim::kernels
