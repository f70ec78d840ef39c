#pragma once

#include "workloads/kernels/conv/conv.hpp"

namespace tcsim::kernels {

/// y = relu(sums * scale + bias) or part of it, in FP32, one pair of channels after another. Reads
/// buffer 0, writes buffer 1; scale and bias follow if the problem has them. Without buffers.
isa::KernelLaunch make_post(const ConvProblem& problem, bool has_uniform_datapath,
                            bool has_packing);

}  // namespace tcsim::kernels
