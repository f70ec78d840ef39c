#pragma once

#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/kernel_plan.hpp"

namespace tcsim::kernels {

/// Integer and filler instructions of one k-tile of one warp (kernels.md 2).
struct LoopOverhead {
  int vector = 0;
  int uniform = 0;
  int fillers = 0;  ///< predicated-off LDS
};
LoopOverhead loop_overhead(const KernelPlan& plan);

/// First copies and main loop with LDGSTS into plan.tile.stages buffers: while k-tile x is
/// multiplied, k-tile x + stages - 1 is being copied. Requires addresses to be set up. Afterwards
/// the accumulators are complete and shared memory is free, after a barrier.
void emit_multistage(const KernelPlan& plan, ProgramBuilder& builder, AddressWork& work);

/// The same with two buffers; k-tile x + 1 waits in registers: LDG at the start of x, STS near its
/// end.
void emit_register_staged(const KernelPlan& plan, ProgramBuilder& builder, AddressWork& work);

}  // namespace tcsim::kernels
