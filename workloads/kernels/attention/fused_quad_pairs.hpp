#pragma once

#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/attention/fused_plan.hpp"

namespace tcsim::kernels {

/// The products of Volta's fused kernel, by HMMA.884 on 16 x 16 blocks of a warp: quad pair j
/// computes rows of parity j mod 2 and columns of parity j div 2, as in quad_pair_math.hpp. Both
/// products are loops, so that the instructions of a key block fit into the instruction cache of a
/// sub-core. The fragments of B are loaded three loads ahead of the HMMAs, those of A one step
/// ahead.

/// Appends S = Q K^T of one key block: one iteration for each 16 columns, fragments by LDS.128.
void append_quad_pair_scores(const FusedPlan& plan, ProgramBuilder& builder,
                             const AddressWork& work);

/// Stores the probabilities in FP16 to the warp's rows of shared memory, because accumulators do
/// not have the layout of an A fragment.
Instructions stored_probabilities(const FusedPlan& plan, ProgramBuilder& builder,
                                  const AddressWork& work);

/// Appends O += P V of one key block: one iteration for each 16 keys, V across the keys.
void append_quad_pair_output(const FusedPlan& plan, ProgramBuilder& builder,
                             const AddressWork& work);

/// Stores the accumulators of O in FP16 to shared memory `panels`. Lanes whose numbers differ by 2
/// hold two columns each of the same two rows. They exchange halves, so that four columns of two
/// neighbouring blocks make 16 bytes.
Instructions stored_output(const FusedPlan& plan, ProgramBuilder& builder, const AddressWork& work,
                           const SharedPanels& panels);

}  // namespace tcsim::kernels
