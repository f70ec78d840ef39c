#pragma once

#include <memory>

#include "sim/core_rtl/core_library.hpp"
#include "sim/core_rtl/core_plan.hpp"
#include "sim/rtl/warp_unit.hpp"

namespace tcsim::core_rtl {

/// The tensor cores of a sub-core in `library`, out of reset. `plan`, from which it was built,
/// outlives it. WarpMma::row says which instruction of the plan an MMA is; the cycle of a result is
/// that in which all of D is there, for an MMA that is issued in it.
std::unique_ptr<rtl::WarpUnit> make_warp_unit(const CorePlan& plan,
                                              std::shared_ptr<const CoreLibrary> library);

}  // namespace tcsim::core_rtl
