#pragma once

#include <cstdint>
#include <optional>

#include "models/isa/program.hpp"

// What the text of a program alone decides about sums in one lane, whatever the other variables
// are.

namespace tcsim::isa {

/// True if no variable but the lane is in `expression`.
bool hangs_on_lane_alone(const Expression& expression);

/// The least that `expression` may be in `lane`, by its signs: CTA, warp and loop counters are 0 or
/// more. Nothing where they do not tell.
std::optional<std::int64_t> least_in_lane(const Expression& expression, int lane);

/// `expression` modulo `divisor` in `lane`, of 0 or more. Nothing where it hangs on other
/// variables.
std::optional<std::int64_t> remainder_in_lane(const Expression& expression, int lane,
                                              std::int64_t divisor);

/// True if `lane` passes the bounds of `guard` where the other variables are small; false where it
/// never does, or the text does not tell.
bool may_pass(const Guard& guard, int lane);

}  // namespace tcsim::isa
