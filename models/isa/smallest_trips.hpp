#pragma once

#include <cstdint>
#include <optional>

#include "models/isa/launch.hpp"

namespace tcsim::isa {

/// The smallest value of `trips`, a sum of CTA and warp variables, over every CTA and warp; nothing
/// if these are too many to look at.
std::optional<std::int64_t> smallest_trips(const Expression& trips, const KernelLaunch& launch);

/// True if `trips` never falls or never rises as `variable` does.
bool keeps_direction(const Expression& trips, Variable variable);

}  // namespace tcsim::isa
