#pragma once

#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/attention/warpgroup_forward_plan.hpp"

namespace tcsim::kernels {

/// What a consumer does after the last product of a tile: divides by the sums, stores LSE, and
/// stores O by TMA from the place of V, with packed heads as rows from there, with split keys as
/// FP32 from registers. With scales of heads, the scale of V is in the first register of
/// `negative`.
void finish_tile(const WarpgroupForwardPlan& plan, ProgramBuilder& builder, AddressWork& work);

/// Stores register `from`, accumulators i and i + 1 as 16-bit elements, into 64 rows at `place`.
void stage_pair(const isa::Expression& place, int i, int from, ProgramBuilder& builder);

/// Row lane / 4 + 8 * half of the warp, counted among the rows of its head.
isa::Expression row_of_thread(const WarpgroupForwardPlan& plan, int half);

}  // namespace tcsim::kernels
