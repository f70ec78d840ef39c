#pragma once

#include "models/isa/program.hpp"
#include "workloads/kernels/warpgroup_plan.hpp"

namespace tcsim::kernels::warpgroups {

/// The program of the warpgroups that multiply (warp_specialised.hpp): waits for k-tiles,
/// multiplies them, gives their stages back and stores D or hands its sums over.
isa::WarpProgram consumer_program(const WarpgroupPlan& shape);

}  // namespace tcsim::kernels::warpgroups
