#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "models/sm/issue_policy/policy.hpp"
#include "models/sm/issue_policy/turns.hpp"

namespace tcsim::sm {

/// Warps form groups, one of which has priority until all its warps wait for memory or a barrier;
/// then the next group has priority (Narasiman et al., "Improving GPU performance via large warps
/// and two-level warp scheduling", MICRO 2011). As a result, groups reach their loads at different
/// times. Within a group, and between groups, warps take turns. Slots that the leading group leaves
/// free in short waits go to the groups after it.
class TwoLevel {
 public:
  static constexpr std::string_view kName = "two_level";

  /// The paper uses four groups of eight for 32 warps; a sub-core holds 16, so groups have four
  /// warps.
  static constexpr std::size_t kGroupWarps = 4;

  /// A warp joins the first group with room.
  void joined(const Warp& warp) {
    const auto group = std::find_if(members_.begin(), members_.end(),
                                    [](std::uint8_t count) { return count < kGroupWarps; });
    ++*group;
    group_of_[warp.slot] = static_cast<std::uint8_t>(group - members_.begin());
    groups_ = std::max<std::size_t>(groups_, group_of_[warp.slot] + 1U);
  }
  void left(const Warp& warp) { --members_[group_of_[warp.slot]]; }

  template <typename Question>
  Warp* pick(const WarpsByAge& warps, Cycle now, Question&& can_issue) {
    const std::size_t first = first_after(warps, last_age_);
    for (std::size_t i = 0; i < groups_; ++i) {
      const std::size_t group = (leading_ + i) % groups_;
      if (members_[group] == 0) continue;
      for (std::size_t place = 0; place < warps.size(); ++place) {
        Warp* const warp = in_turn(warps, first, place);
        if (group_of_[warp->slot] != group || !can_issue(*warp)) continue;
        if (all_wait(warps, leading_, now)) leading_ = group;
        last_age_ = warp->age;
        return warp;
      }
    }
    return nullptr;
  }

 private:
  static constexpr std::size_t kSlots = 256;  ///< upper bound on the hardware warps of an SM

  static bool waits_long(const Warp& warp, Cycle now) {
    if (warp.ready <= now) return false;
    return warp.ready == kNever || warp.ready_reason == CycleReason::kDependenceGlobal ||
           warp.ready_reason == CycleReason::kCopyWait ||
           warp.ready_reason == CycleReason::kBarrier;
  }
  /// Also true if the group has no warps left.
  bool all_wait(const WarpsByAge& warps, std::size_t group, Cycle now) const {
    return std::all_of(warps.begin(), warps.end(), [&](const Warp* warp) {
      return group_of_[warp->slot] != group || waits_long(*warp, now);
    });
  }

  std::array<std::uint8_t, kSlots> group_of_{};               ///< by hardware warp id
  std::array<std::uint8_t, kSlots / kGroupWarps> members_{};  ///< number of warps per group
  std::size_t groups_ = 1;                                    ///< groups that have ever had a warp
  std::size_t leading_ = 0;                                   ///< the group with priority
  std::uint64_t last_age_ = 0;
};

}  // namespace tcsim::sm
