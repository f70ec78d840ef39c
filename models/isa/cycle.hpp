#pragma once

#include <cstdint>
#include <limits>

namespace tcsim {

/// A point in time or a duration of one clock domain; the declaration that uses it names the domain
/// (SM clock by default).
using Cycle = std::int64_t;

/// Later than every cycle that a run can reach.
inline constexpr Cycle kNever = std::numeric_limits<Cycle>::max() / 4;

/// The smallest q with q * divisor >= dividend. Requires dividend >= 0 and divisor > 0.
template <typename Integer>
constexpr Integer ceil_div(Integer dividend, Integer divisor) {
  return (dividend + divisor - 1) / divisor;
}

}  // namespace tcsim
