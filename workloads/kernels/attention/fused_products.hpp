#pragma once

#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/attention/fused_plan.hpp"

namespace tcsim::kernels {

/// Two FP32 numbers, in registers `low` and `high`, which are lost, as two of 16 bits in register
/// `to`: by F2FP, before Ampere by F2F and PRMT.
Instructions packed_pair(const FusedPlan& plan, int to, int low, int high);

/// The fragments of Q of all k-steps, for tiles that keep them.
Instructions kept_query(const FusedPlan& plan, ProgramBuilder& builder, const AddressWork& work);

/// S = Q K^T of one key block: for every k-step of 16 columns, Q fragments by LDSM, K fragments by
/// LDSM three groups ahead of the MMAs that read them.
Instructions score_products(const FusedPlan& plan, ProgramBuilder& builder,
                            const AddressWork& work);

/// O += P V of one key block, V fragments by LDSM.T.
/// The probabilities are packed into 16-bit A fragments one k-step ahead of the MMAs.
Instructions output_products(const FusedPlan& plan, ProgramBuilder& builder,
                             const AddressWork& work);

/// O += P V with TF32 operands: P rounded in place, V by single words, as LDSM transposes 16-bit
/// elements only. The scores of two neighbouring keys stand at places t and t + 4 of an A fragment,
/// and so do their rows of V.
Instructions tf32_output_products(const FusedPlan& plan, ProgramBuilder& builder,
                                  const AddressWork& work);

/// O += P V with INT8 operands: P, from 0 to 127, rounded to whole numbers and packed in place. V
/// by LDSM.T of pairs of columns, whose bytes PRMT parts into the even and the odd one: keys stand
/// in the order in which the lanes hold P. Sums of a block are whole, O is FP32. Lane t of a row
/// ends up with columns 4 t and 4 t + 2 of every 16 in the first of two tiles, 4 t + 1 and 4 t + 3
/// in the second.
Instructions int8_output_products(const FusedPlan& plan, ProgramBuilder& builder,
                                  const AddressWork& work);

}  // namespace tcsim::kernels
