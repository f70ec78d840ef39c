#pragma once

#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/attention/fused_plan.hpp"

namespace tcsim::kernels {

/// Packs two FP32 numbers, in registers `low` and `high`, as two 16-bit numbers into register `to`:
/// by F2FP, before Ampere by F2F and PRMT. `low` and `high` are overwritten.
Instructions packed_pair(const FusedPlan& plan, int to, int low, int high);

/// Loads the fragments of Q of all k-steps, for tiles that keep them.
Instructions kept_query(const FusedPlan& plan, ProgramBuilder& builder, const AddressWork& work);

/// S = Q K^T of one key block: for every k-step of 16 columns, Q fragments by LDSM, K fragments by
/// LDSM three groups ahead of the MMAs that read them.
Instructions score_products(const FusedPlan& plan, ProgramBuilder& builder,
                            const AddressWork& work);

/// O += P V of one key block, V fragments by LDSM.T.
/// The probabilities are packed into 16-bit A fragments one k-step ahead of the MMAs.
Instructions output_products(const FusedPlan& plan, ProgramBuilder& builder,
                             const AddressWork& work);

/// O += P V with TF32 operands: P is rounded in place; V is loaded by single words, because LDSM
/// transposes only 16-bit elements. The scores of two neighbouring keys are at places t and t + 4
/// of an A fragment, and so are their rows of V.
Instructions tf32_output_products(const FusedPlan& plan, ProgramBuilder& builder,
                                  const AddressWork& work);

/// O += P V with INT8 operands: P, from 0 to 127, is rounded to integers and packed in place.
/// LDSM.T loads V as pairs of columns, and PRMT separates their bytes into the even and the odd
/// column. Keys are in the order in which the lanes hold P. Sums of a block are integers, O is
/// FP32. Lane t of a row ends up with columns 4 t and 4 t + 2 of every 16 in the first of two
/// tiles, 4 t + 1 and 4 t + 3 in the second.
Instructions int8_output_products(const FusedPlan& plan, ProgramBuilder& builder,
                                  const AddressWork& work);

}  // namespace tcsim::kernels
