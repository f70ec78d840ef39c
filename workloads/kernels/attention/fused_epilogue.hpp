#pragma once

#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/attention/fused_plan.hpp"

namespace tcsim::kernels {

/// Sums reduced over the lanes of a row, the output divided by them and converted, its tile staged
/// in the shared memory of Q (with splits: of Q, K and V), stored in rows of 16-byte vectors, and
/// the logarithms of the sums. The main loop's copies must have landed.
Instructions fused_epilogue(const FusedPlan& plan, ProgramBuilder& builder, AddressWork& work);

}  // namespace tcsim::kernels
