#pragma once

#include <memory>

#include "sim/core_rtl/core_build.hpp"
#include "sim/rtl/warp_units.hpp"

namespace tcsim::core_rtl {

/// The tensor cores of `plan`, built in `built`. Throws IoError if they cannot be loaded.
std::shared_ptr<const rtl::WarpUnits> core_units(const CorePlan& plan, const BuiltCore& built);

}  // namespace tcsim::core_rtl
