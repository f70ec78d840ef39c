#pragma once

#include <algorithm>
#include <vector>

#include "models/functional/race_detector.hpp"

namespace tcsim::functional::testing {

inline bool has_race(const std::vector<Race>& races, RaceKind kind) {
  return std::ranges::any_of(races, [kind](const Race& race) { return race.kind == kind; });
}

}  // namespace tcsim::functional::testing
