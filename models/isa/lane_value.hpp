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

/// True if `lane` passes the bounds of `guard` when the other variables are small; false if it
/// never does, or if the text does not tell.
bool may_pass(const Guard& guard, int lane);

}  // namespace tcsim::isa
