#pragma once

#include <vector>

#include "models/isa/async_operands.hpp"
#include "models/isa/program.hpp"
#include "workloads/kernels/program_builder.hpp"
#include "workloads/kernels/warpgroup_plan.hpp"

// The programs that bring k-tiles into the stages of a warp-specialised kernel
// (warp_specialised.hpp).
namespace tcsim::kernels::warpgroups {

/// The tensor maps of a kernel, in the order of Map.
std::vector<isa::TensorMap> tensor_maps(const WarpgroupPlan& shape);

/// The start of every program: sets up mbarriers, and all warps of the CTA, or of its cluster,
/// meet.
void emit_setup(const WarpgroupPlan& shape, ProgramBuilder& builder);

/// The warp that fills stage after stage, and the others of its warpgroup.
isa::WarpProgram producer_program(const WarpgroupPlan& shape);
isa::WarpProgram idle_program(const WarpgroupPlan& shape);

}  // namespace tcsim::kernels::warpgroups
