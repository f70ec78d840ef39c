#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "models/sm/issue_policy/policy.hpp"

namespace tcsim::sm {

/// Index of the first warp younger than `age`; the number of warps if there is none. Turns are by
/// age and not by position, so the result does not depend on how long before its start a warp
/// joined.
inline std::size_t first_after(const WarpsByAge& warps, std::uint64_t age) {
  const auto next =
      std::upper_bound(warps.begin(), warps.end(), age,
                       [](std::uint64_t than, const Warp* warp) { return than < warp->age; });
  return static_cast<std::size_t>(next - warps.begin());
}

/// The warp `i` places after index `first`, with the oldest following the youngest. Requires i <
/// warps.size() and first <= warps.size().
inline Warp* in_turn(const WarpsByAge& warps, std::size_t first, std::size_t i) {
  const std::size_t place = first + i;
  return warps[place < warps.size() ? place : place - warps.size()];
}

}  // namespace tcsim::sm
