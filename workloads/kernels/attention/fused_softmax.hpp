#pragma once

#include "workloads/kernels/attention/fused_plan.hpp"

namespace tcsim::kernels {

/// One step of a warp's on-line softmax on the scores of one key block. Computes the row maxima,
/// replaces the scores by the probabilities exp2(scale * (score - maximum)), adds up their sums,
/// and rescales the output so far to the new maximum. INT8: 127 times the probabilities. A row's
/// sum stays divided over the four lanes that hold it. `first`: there is no output yet.
/// `may_be_masked`: a row may have no visible key yet.
Instructions online_softmax(const FusedPlan& plan, bool first, bool may_be_masked);

/// Exchanges between the four lanes of a row until all hold the row's sum.
Instructions sum_rows(const FusedPlan& plan);

/// Registers that are free during a softmax step: one per row of the thread in each of four sets.
int softmax_scratch(const FusedPlan& plan, int set);

}  // namespace tcsim::kernels
