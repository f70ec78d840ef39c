#pragma once

#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/attention/backward_plan.hpp"

namespace tcsim::kernels {

/// Converts and stores the gradients (dQ and dK times 1 / sqrt(dim)) through the shared memory of
/// the kept rows; each warp has read only its own rows there.
Instructions backward_epilogue(const BackwardPlan& plan, ProgramBuilder& builder,
                               AddressWork& work);

}  // namespace tcsim::kernels
