#pragma once

#include <cstddef>
#include <string_view>

#include "models/sm/issue_policy/policy.hpp"

namespace tcsim::sm {

/// Picks the warp that issued last while it can issue, then the others by age, from the youngest
/// (as HUE25 measured on Turing and GA10x) or from the oldest.
template <bool kFromYoungest>
class Greedy {
 public:
  static constexpr std::string_view kName =
      kFromYoungest ? "greedy_then_youngest" : "greedy_then_oldest";

  void joined(const Warp& /*warp*/) {}
  void left(const Warp& warp) {
    if (last_ == &warp) last_ = nullptr;
  }

  template <typename Question>
  Warp* pick(const WarpsByAge& warps, Cycle /*now*/, Question&& can_issue) {
    if (last_ != nullptr && can_issue(*last_)) return last_;
    if constexpr (kFromYoungest) {
      for (std::size_t i = warps.size(); i-- > 0;)
        if (can_issue(*warps[i])) return last_ = warps[i];
    } else {
      for (Warp* const warp : warps)
        if (can_issue(*warp)) return last_ = warp;
    }
    return nullptr;
  }

 private:
  Warp* last_ = nullptr;  ///< the warp that issued last, if it is still resident
};

using GreedyThenYoungest = Greedy<true>;
using GreedyThenOldest = Greedy<false>;

}  // namespace tcsim::sm
