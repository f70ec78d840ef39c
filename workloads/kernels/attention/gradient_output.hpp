#pragma once

#include "workloads/kernels/attention/warpgroup_backward.hpp"

namespace tcsim::kernels {

/// The end of a consumer's program, behind the meeting of all that have read K and V, in whose
/// place the results come: dK and dV as elements by TMA, or added to the sums of all heads that
/// share the keys.
void emit_key_gradients(const WarpgroupBackwardPlan& plan, ProgramBuilder& builder);

}  // namespace tcsim::kernels
