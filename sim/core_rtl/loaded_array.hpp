#pragma once

#include <memory>

#include "sim/core_rtl/core_library.hpp"
#include "sim/core_rtl/core_plan.hpp"
#include "sim/rtl/matrix_unit.hpp"

namespace tcsim::core_rtl {

/// The array of `library`, out of reset. `info` is that of the plan it was built from, which
/// outlives it.
std::unique_ptr<rtl::MatrixUnit> make_array(const rtl::UnitInfo& info,
                                            std::shared_ptr<const CoreLibrary> library);

}  // namespace tcsim::core_rtl
