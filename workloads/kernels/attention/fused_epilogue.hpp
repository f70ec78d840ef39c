#pragma once

#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/attention/fused_plan.hpp"

namespace tcsim::kernels {

/// The end of the fused kernel. Adds the sums over the lanes of a row, divides the output by them
/// and converts it. Stages its tile in the shared memory of Q (with splits: of Q, K and V) and
/// stores it in rows of 16-byte vectors. Stores the logarithms of the sums. The main loop's copies
/// must have arrived.
Instructions fused_epilogue(const FusedPlan& plan, ProgramBuilder& builder, AddressWork& work);

}  // namespace tcsim::kernels
