#pragma once

#include "workloads/kernels/conv/conv.hpp"
#include "workloads/kernels/vector/lane_vectors.hpp"

namespace tcsim::kernels {

/// y = relu(sums * scale + bias + z) or part of it, in FP32, one pair of channels after another.
/// Reads buffer 0, writes buffer 1; scale, bias and z follow if the problem has them. Without
/// buffers.
isa::KernelLaunch make_post(const ConvProblem& problem, const VectorUnit& unit);

}  // namespace tcsim::kernels
