#pragma once

#include "models/isa/program.hpp"
#include "workloads/kernels/warpgroup_plan.hpp"

namespace tcsim::kernels::warpgroups {

/// The program of the multiplying warpgroups (warp_specialised.hpp): it waits for k-tiles,
/// multiplies them, releases their stages, and stores D or hands its sums over.
isa::WarpProgram consumer_program(const WarpgroupPlan& shape);

}  // namespace tcsim::kernels::warpgroups
