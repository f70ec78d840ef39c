#pragma once

#include <cstdint>
#include <optional>

#include "models/isa/launch.hpp"

namespace tcsim::isa {

/// The smallest value of `trips`, a sum of CTA and warp variables, over all CTAs and warps; empty
/// if there are too many to examine. An empty extent of the launch counts as 1.
std::optional<std::int64_t> smallest_trips(const Expression& trips, const KernelLaunch& launch);
/// The largest one in the same way.
std::optional<std::int64_t> largest_trips(Expression trips, const KernelLaunch& launch);

/// True if `trips` never decreases, or never increases, as `variable` increases.
bool keeps_direction(const Expression& trips, Variable variable);

}  // namespace tcsim::isa
