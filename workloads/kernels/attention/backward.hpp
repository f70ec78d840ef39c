#pragma once

#include <string>
#include <vector>

#include "workloads/kernels/attention/attention.hpp"

namespace tcsim::kernels {

/// Why there is no backward pass, in one sentence; empty if there is one.
std::string backward_problem(const AttentionProblem& problem, const Target& target);

/// Delta, dQ, then dK and dV. On machines with warpgroups, unless the problem asks for blocks,
/// FlashAttention-3's launches (warpgroup_backward_stream.hpp). Inputs "Q", "K", "V", "O", "LSE"
/// and "dO", outputs "dQ", "dK" and "dV"; all except LSE have the layout of the fused forward pass.
/// Requires backward_problem(...) to be empty.
std::vector<isa::KernelLaunch> backward_stream(const AttentionProblem& problem,
                                               const Target& target);

/// One text per launch: kept rows x moving rows of a block, and warps.
std::vector<std::string> backward_tiles(const AttentionProblem& problem, const Target& target);

}  // namespace tcsim::kernels
