#pragma once

#include "models/isa/launch.hpp"
#include "workloads/kernels/kernel_plan.hpp"

namespace tcsim::kernels {

/// The second kernel of a split-K product (splitKreduce, kernels.md 3). Every thread adds one
/// vector of partial sums of all slices, in ascending order and in the accumulator's format, then
/// scales it, applies the epilogue, converts and stores it. Reads buffer 0, [batch][slice][m][n];
/// writes buffer 1, D; the epilogue's operands follow. Without buffers and name.
isa::KernelLaunch make_reduction(const GemmProblem& problem, int slices, const Recipe& recipe,
                                 const OutputPlace& place);
/// The same for `plan`.
isa::KernelLaunch make_reduction(const KernelPlan& plan);

}  // namespace tcsim::kernels
