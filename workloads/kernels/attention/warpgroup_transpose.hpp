#pragma once

#include "workloads/kernels/attention/warpgroup_forward.hpp"

namespace tcsim::kernels {

/// V of step `step`, as TMA has brought it, to rows along its keys, by one warp of the four that do
/// it together (mainloop_fwd_sm90_tma_gmma_ws.hpp, copy_Vt_to_V): LDSM.T brings pairs of columns of
/// 32 keys, PRMT parts them, STSM stores eight columns as rows.
///
/// The keys and columns of a row of sixteen change places. Keys go where a thread of a consumer has
/// their probabilities: 2q, 2q + 1, 2q + 8 and 2q + 9 to 4q to 4q + 3. Even columns come first; of
/// them, and of the odd ones, those of the first and of the second half take turns, so that rows of
/// one STSM lie side by side, without bank conflicts, and accumulators of neighbouring columns in
/// one thread (WarpgroupForwardPlan::output_pair).
void transpose_values(const WarpgroupForwardPlan& plan, const isa::Expression& step,
                      ProgramBuilder& builder);

}  // namespace tcsim::kernels
