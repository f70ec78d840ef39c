#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "models/sm/issue_policy/policy.hpp"
#include "models/sm/issue_policy/turns.hpp"

namespace tcsim::sm {

/// Each warp in turn; one that cannot issue loses its turn.
class LooseRoundRobin : public CountsNoWarps {
 public:
  static constexpr std::string_view kName = "loose_round_robin";

  template <typename Question>
  Warp* pick(const WarpsByAge& warps, Cycle /*now*/, Question&& can_issue) {
    const std::size_t first = first_after(warps, last_age_);
    for (std::size_t i = 0; i < warps.size(); ++i) {
      Warp* const warp = in_turn(warps, first, i);
      if (!can_issue(*warp)) continue;
      last_age_ = warp->age;
      return warp;
    }
    return nullptr;
  }

 private:
  std::uint64_t last_age_ = 0;  ///< of the warp that issued last, even if it has left
};

}  // namespace tcsim::sm
