#pragma once

#include "workloads/kernels/attention/warpgroup_forward_plan.hpp"

namespace tcsim::kernels {

/// One step of a consumer's on-line softmax on the scores of one key block: computes row maxima,
/// replaces the scores by probabilities, adds up their sums. The output is rescaled separately. A
/// row's sum stays divided over the four lanes that hold it. `first`: first step of the tile.
/// `may_be_masked`: a row may have no visible key yet.
Instructions warpgroup_softmax(const WarpgroupForwardPlan& plan, bool first, bool may_be_masked);

/// Multiplies the output by the factor that warpgroup_softmax found.
Instructions rescale_output(const WarpgroupForwardPlan& plan);

/// Packs probabilities in pairs: as A fragments of the second product or, in the place of the first
/// of each two scores, as data for shared memory.
Instructions pack_probabilities(const WarpgroupForwardPlan& plan);

/// Exchanges between the four lanes of a row until all hold the row's sum.
Instructions sum_rows(const WarpgroupForwardPlan& plan);

/// Packs two FP32 numbers into one register of 16-bit numbers.
isa::Instruction packed(const WarpgroupForwardPlan& plan, int to, int low, int high);

}  // namespace tcsim::kernels
