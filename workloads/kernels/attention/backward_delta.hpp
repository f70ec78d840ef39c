#pragma once

#include "workloads/kernels/attention/attention.hpp"

namespace tcsim::kernels {

/// The kernel before a backward pass: for every row of every head, the sum of O * dO in FP32, with
/// 16 bytes of a row per lane. Its buffers, which the caller adds, are O, dO and the sums,
/// [batch][heads][queries].
isa::KernelLaunch backward_delta(const AttentionProblem& problem);

}  // namespace tcsim::kernels
