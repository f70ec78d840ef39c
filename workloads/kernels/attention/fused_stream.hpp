#pragma once

#include <string>
#include <vector>

#include "workloads/kernels/attention/attention.hpp"

namespace tcsim::kernels {

/// The launches of a fused or paged forward pass: write the cache, schedule sequences (paged),
/// attention, combine parts. All except attention are included only if needed. Requires
/// fused_problem(...) to be empty.
std::vector<isa::KernelLaunch> fused_stream(const AttentionProblem& problem, const Target& target);

/// attention_tiles(...) for these launches.
std::vector<std::string> fused_tiles(const AttentionProblem& problem, const Target& target);

}  // namespace tcsim::kernels
