#pragma once

#include <string>
#include <vector>

#include "models/isa/launch.hpp"
#include "workloads/kernels/attention/attention.hpp"

namespace tcsim::kernels {

/// FlashAttention-3's backward pass: a launch that prepares statistics and clears sums, the main
/// launch, and a launch that converts the sums of dQ. If several heads share keys, the gradients of
/// keys are summed in FP32, too: two more launches before, two after. Buffers and requirements as
/// for backward_stream.
std::vector<isa::KernelLaunch> warpgroup_backward_stream(const AttentionProblem& problem);

/// One text per launch: queries of a block x keys of a CTA, and the multiplying warps; empty for
/// the others.
std::vector<std::string> warpgroup_backward_tiles(const AttentionProblem& problem);

}  // namespace tcsim::kernels
