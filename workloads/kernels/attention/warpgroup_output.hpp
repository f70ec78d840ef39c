#pragma once

#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/attention/warpgroup_forward_plan.hpp"

namespace tcsim::kernels {

/// What a consumer does behind the last product of a tile: the division by the sums, LSE, O by TMA
/// from the place of V, with packed heads as rows from there, of split keys as FP32 from registers.
/// With scales of heads, that of V is in the first register of `negative`.
void finish_tile(const WarpgroupForwardPlan& plan, ProgramBuilder& builder, AddressWork& work);

/// Register `from`, accumulators i and i + 1 as 16-bit elements, into 64 rows at `place`.
void stage_pair(const isa::Expression& place, int i, int from, ProgramBuilder& builder);

/// Row lane / 4 + 8 * half of the warp, among those of its head.
isa::Expression row_of_thread(const WarpgroupForwardPlan& plan, int half);

}  // namespace tcsim::kernels
