#pragma once

#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/attention/fused_plan.hpp"

namespace tcsim::kernels {

/// Loads the scales of the thread's rows of Q into registers; 0 for rows beyond the last.
Instructions load_row_scales(const FusedPlan& plan, ProgramBuilder& builder,
                             const AddressWork& work);

/// Loads the scales of K and V of the block at place `place`; in the loop, at `place` + the
/// iteration.
Instructions load_key_scales(const FusedPlan& plan, ProgramBuilder& builder,
                             const AddressWork& work, int place, bool in_loop);

}  // namespace tcsim::kernels
