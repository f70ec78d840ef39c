#pragma once

#include "workloads/kernels/conv/pool.hpp"

namespace tcsim::kernels {

/// The kernel of an upsampling without its buffers (make_pool places them): a thread copies up to
/// 16 bytes of channels into a pixel of y. Requires PoolOperation::kUpsample.
isa::KernelLaunch make_upsample(const PoolProblem& problem, const Target& target);

}  // namespace tcsim::kernels
