#pragma once

#include "workloads/kernels/attention/fused_plan.hpp"

namespace tcsim::kernels {

/// The warp program of the fused kernel: loads of Q, K and V by LDGSTS, products by HMMA, on-line
/// softmax; key blocks from the last to the first. Stores O and the logarithms of the sums; with
/// splits both in FP32, [split][batch][head][row], for the keys of the split alone.
isa::WarpProgram fused_program(const FusedPlan& plan);

}  // namespace tcsim::kernels
