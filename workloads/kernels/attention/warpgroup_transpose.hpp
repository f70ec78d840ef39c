#pragma once

#include "workloads/kernels/attention/warpgroup_forward.hpp"

namespace tcsim::kernels {

/// Transposes V of step `step`, as TMA has loaded it, to rows along its keys. Four warps do it
/// together (mainloop_fwd_sm90_tma_gmma_ws.hpp, copy_Vt_to_V); this is the part of one: LDSM.T
/// loads pairs of columns of 32 keys, PRMT separates them, STSM stores eight columns as rows.
///
/// The keys and columns of a row of sixteen are reordered. Keys go to where a thread of a consumer
/// has their probabilities: 2q, 2q + 1, 2q + 8 and 2q + 9 to 4q to 4q + 3. Even columns come first.
/// Among the even, and among the odd columns, those of the first and of the second half alternate.
/// The rows of one STSM are then side by side, without bank conflicts, and accumulators of
/// neighbouring columns are in one thread (WarpgroupForwardPlan::output_pair).
void transpose_values(const WarpgroupForwardPlan& plan, const isa::Expression& step,
                      ProgramBuilder& builder);

}  // namespace tcsim::kernels
