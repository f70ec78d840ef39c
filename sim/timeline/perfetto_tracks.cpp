#include "sim/timeline/perfetto_tracks.hpp"

#include <algorithm>

namespace tcsim::timeline {

Tracks::Track Tracks::place(const std::string& group, Cycle from, Cycle until) {
  std::vector<Lane>& lanes = groups_[group];
  const auto lane =
      std::ranges::find_if(lanes, [from](const Lane& each) { return each.free <= from; });
  const auto of_group = static_cast<int>(lane - lanes.begin());
  if (lane != lanes.end()) {
    lane->free = until;
    return {lane->number, of_group, false};
  }
  lanes.push_back({next_++, until});
  return {lanes.back().number, of_group, true};
}

}  // namespace tcsim::timeline
