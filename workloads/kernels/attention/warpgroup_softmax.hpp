#pragma once

#include "workloads/kernels/attention/warpgroup_forward_plan.hpp"

namespace tcsim::kernels {

/// One step of the on-line softmax of a consumer, on the scores of one key block: row maxima,
/// probabilities in place of the scores, their sums. The output is rescaled by itself. A row's sum
/// stays divided over the four lanes that hold it. `first`: of the tile. `may_be_masked`: a row may
/// have no visible key yet.
Instructions warpgroup_softmax(const WarpgroupForwardPlan& plan, bool first, bool may_be_masked);

/// The output times what warpgroup_softmax found.
Instructions rescale_output(const WarpgroupForwardPlan& plan);

/// Probabilities as packed pairs: A fragments of the second product or, in the place of the first
/// of each two scores, what goes to shared memory.
Instructions pack_probabilities(const WarpgroupForwardPlan& plan);

/// Exchanges between the four lanes of a row until all hold the sum (or the maximum) of the
/// registers from `first` on, one per row.
Instructions reduce_quads(const WarpgroupForwardPlan& plan, isa::Opcode opcode, int first);

/// Two FP32 numbers as one register of 16-bit ones.
isa::Instruction packed(const WarpgroupForwardPlan& plan, int to, int low, int high);

}  // namespace tcsim::kernels
