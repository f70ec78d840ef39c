#pragma once

#include "workloads/kernels/attention/attention.hpp"

namespace tcsim::kernels {

/// Scores by a batched product, softmax with scale and mask, output by a batched product. Tensors
/// are [batch][heads][rows][dim]; scores "S" and probabilities "P" are stored in memory in the
/// element type. Heads that share K and V are rows of one product. INT8: scores are integers in
/// INT32, a row's probabilities are rounded to multiples of 1/127 of its largest, and a last launch
/// multiplies the integer sums by the scales of their rows.
std::vector<isa::KernelLaunch> unfused_stream(const AttentionProblem& problem,
                                              const Target& target);

/// The tile of each launch; empty text for those that are not products.
std::vector<std::string> unfused_tiles(const AttentionProblem& problem, const Target& target);

/// Why the kernels cannot be generated, in one sentence; empty if they can.
std::string unfused_problem(const AttentionProblem& problem, const Target& target);

}  // namespace tcsim::kernels
