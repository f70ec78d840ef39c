#pragma once

#include <string>
#include <vector>

#include "workloads/kernels/attention/attention.hpp"

namespace tcsim::kernels {

/// The launches of a fused or paged forward pass: the cache written, sequences scheduled (paged),
/// attention, parts combined; all but attention where needed. Requires fused_problem(...) to be
/// empty.
std::vector<isa::KernelLaunch> fused_stream(const AttentionProblem& problem, const Target& target);

/// attention_tiles(...) of them.
std::vector<std::string> fused_tiles(const AttentionProblem& problem, const Target& target);

}  // namespace tcsim::kernels
