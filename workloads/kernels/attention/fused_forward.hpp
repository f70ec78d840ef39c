#pragma once

#include "workloads/kernels/attention/fused_plan.hpp"

namespace tcsim::kernels {

/// The warp program of the fused kernel: loads of Q, K and V by LDGSTS, products by HMMA, on-line
/// softmax; key blocks from the last to the first. It stores O and the logarithms of the sums. With
/// splits it stores both in FP32, [split][batch][head][row], only for the keys of the split.
isa::WarpProgram fused_program(const FusedPlan& plan);

}  // namespace tcsim::kernels
