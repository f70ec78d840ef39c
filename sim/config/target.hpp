#pragma once

#include "sim/config/machine.hpp"
#include "workloads/kernels/gemm.hpp"

namespace tcsim::config {

/// The features of the instruction set of `machine` that kernels use.
kernels::Features features_of(const Machine& machine);

/// What the kernel generators need to know of `machine` for `problem`. macs_per_cycle_per_sm is 0
/// if the machine lacks the unit or the type.
kernels::Target make_target(const Machine& machine, const kernels::GemmProblem& problem);

}  // namespace tcsim::config
