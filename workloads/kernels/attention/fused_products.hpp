#pragma once

#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/attention/fused_plan.hpp"

namespace tcsim::kernels {

/// S = Q K^T of one key block: for every k-step of 16 columns, Q fragments by LDSM, K fragments by
/// LDSM three groups ahead of the MMAs that read them.
Instructions score_products(const FusedPlan& plan, ProgramBuilder& builder,
                            const AddressWork& work);

/// O += P V of one key block, V fragments by LDSM.T.
/// The probabilities are packed into 16-bit A fragments one k-step ahead of the MMAs.
Instructions output_products(const FusedPlan& plan, ProgramBuilder& builder,
                             const AddressWork& work);

}  // namespace tcsim::kernels
