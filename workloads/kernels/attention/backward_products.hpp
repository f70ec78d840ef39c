#pragma once

#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/attention/backward_plan.hpp"

namespace tcsim::kernels {

/// `sums` = rows of `kept` times rows of `moving`, over the columns of both: fragments by LDSM,
/// those of `moving` three groups ahead of the MMAs. `stage`: bytes to the stage of `moving`.
Instructions row_products(const BackwardPlan& plan, ProgramBuilder& builder,
                          const AddressWork& work, const SharedPanels& kept,
                          const SharedPanels& moving, const isa::Expression& stage, int sums);

/// `gradient` += weights times `moving`: weights packed in pairs of 16 bits from register `packed`
/// on (pack_weights), fragments of `moving` by LDSM.T.
Instructions gradient_products(const BackwardPlan& plan, ProgramBuilder& builder,
                               const AddressWork& work, int packed, const SharedPanels& moving,
                               const isa::Expression& stage, int gradient);

/// FP32 weights from `first` on become A fragments in place, tile by tile.
Instructions pack_weights(const BackwardPlan& plan, int first);

}  // namespace tcsim::kernels
