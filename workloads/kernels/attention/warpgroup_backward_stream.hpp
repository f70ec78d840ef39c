#pragma once

#include <string>
#include <vector>

#include "models/isa/launch.hpp"
#include "workloads/kernels/attention/attention.hpp"

namespace tcsim::kernels {

/// FlashAttention-3's backward pass: what prepares statistics and clears sums, the main launch,
/// what converts the sums of dQ. Where several heads share keys the gradients of keys are summed in
/// FP32, too: two launches more in front, two behind. Buffers and requirements as backward_stream.
std::vector<isa::KernelLaunch> warpgroup_backward_stream(const AttentionProblem& problem);

/// One text per launch: queries of a block x keys of a CTA, and warps that multiply; empty for the
/// others.
std::vector<std::string> warpgroup_backward_tiles(const AttentionProblem& problem);

}  // namespace tcsim::kernels
