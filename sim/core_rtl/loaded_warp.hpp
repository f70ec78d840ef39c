#pragma once

#include <memory>

#include "sim/core_rtl/core_library.hpp"
#include "sim/core_rtl/core_plan.hpp"
#include "sim/rtl/warp_unit.hpp"

namespace tcsim::core_rtl {

/// The tensor cores of a sub-core in `library`, out of reset. `plan`, from which the library was
/// built, outlives it. WarpMma::row names the instruction of the plan. The cycle of a result is the
/// one in which all of D is available to an MMA that issues in it.
std::unique_ptr<rtl::WarpUnit> make_warp_unit(const CorePlan& plan,
                                              std::shared_ptr<const CoreLibrary> library);

}  // namespace tcsim::core_rtl
