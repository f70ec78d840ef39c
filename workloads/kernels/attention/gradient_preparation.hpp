#pragma once

#include "models/isa/launch.hpp"
#include "workloads/kernels/attention/warpgroup_backward_plan.hpp"

namespace tcsim::kernels {

// Launches before FlashAttention-3's backward kernel, without their buffers.

/// Computes for every query the statistics that the kernel reads, and zeros the sums of dQ
/// (flash_bwd_preprocess_kernel.h). Buffers O, dO and LSE, then kLogSum, kDelta and kQuerySums.
isa::KernelLaunch prepare_gradients(const WarpgroupBackwardPlan& plan);

/// Zeros `bytes` bytes, a multiple of 16, of its buffer (torch.zeros).
isa::KernelLaunch clear_sums(std::int64_t bytes);

}  // namespace tcsim::kernels
