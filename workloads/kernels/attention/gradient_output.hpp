#pragma once

#include "workloads/kernels/attention/warpgroup_backward.hpp"

namespace tcsim::kernels {

/// The end of a consumer's program, after all warps that have read K and V have met. The results
/// replace K and V in shared memory: dK and dV are stored as elements by TMA, or added to the sums
/// of all heads that share the keys.
void emit_key_gradients(const WarpgroupBackwardPlan& plan, ProgramBuilder& builder);

}  // namespace tcsim::kernels
