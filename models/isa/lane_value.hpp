#pragma once

#include <cstdint>
#include <optional>

#include "models/isa/program.hpp"

// What the text of a program determines about sums in one lane, for any values of the other
// variables.

namespace tcsim::isa {

/// True if `expression` contains no variable other than the lane.
bool hangs_on_lane_alone(const Expression& expression);

/// A lower bound of `expression` in `lane`, from its signs: CTA, warp and loop counters are at
/// least 0. Empty if the signs do not give one.
std::optional<std::int64_t> least_in_lane(const Expression& expression, int lane);

/// `expression` modulo `divisor` in `lane`, at least 0. Empty if it depends on other variables.
std::optional<std::int64_t> remainder_in_lane(const Expression& expression, int lane,
                                              std::int64_t divisor);

/// True if `lane` of `warp` of CTA 0 passes `guard` in the first trips of all loops; false if it
/// does not, or if the text does not tell.
bool passes_first(const Guard& guard, int lane, int warp);

}  // namespace tcsim::isa
