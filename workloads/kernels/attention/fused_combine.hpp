#pragma once

#include "workloads/kernels/attention/fused_plan.hpp"

namespace tcsim::kernels {

/// The kernel that combines the partial outputs of the splits of a fused kernel. It adds each row's
/// outputs with weights exp(LSE of the split - LSE of all), one warp per row. Buffers, to be filled
/// in: partial outputs, their LSEs, O, LSE. Requires at most 128 splits.
isa::KernelLaunch combine_splits(const FusedPlan& plan);

}  // namespace tcsim::kernels
