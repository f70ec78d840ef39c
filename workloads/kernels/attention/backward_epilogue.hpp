#pragma once

#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/attention/backward_plan.hpp"

namespace tcsim::kernels {

/// The gradients, dQ and dK times 1 / sqrt(dim), converted and stored through the shared memory of
/// the kept rows, of which every warp has read its own alone.
Instructions backward_epilogue(const BackwardPlan& plan, ProgramBuilder& builder,
                               AddressWork& work);

}  // namespace tcsim::kernels
