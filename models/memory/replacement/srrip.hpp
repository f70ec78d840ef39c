#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "models/memory/replacement/policy.hpp"

namespace tcsim::memory::replacement {

/// Static re-reference interval prediction with two bits and hit priority (Jaleel et al., ISCA
/// 2010): a new line is expected to be used again late, a reused line soon; the line expected
/// latest is replaced. So lines that are used once do not evict lines that are used again.
class Srrip {
 public:
  static constexpr std::string_view kName = "srrip";
  static constexpr bool kNeedsPowerOfTwoWays = false;

  explicit Srrip(const Shape& shape)
      : ways_(shape.ways), interval_(std::size_t{shape.sets} * shape.ways, kDistant) {}

  /// The previous line was replaced as the stalest of its set. All other lines of the set age by
  /// the amount by which its prediction was short of the distant future.
  void filled(std::uint32_t place) {
    const int aged = kDistant - interval_[place];
    if (aged > 0) {
      const std::uint32_t first = place / ways_ * ways_;
      for (std::uint32_t other = first; other < first + ways_; ++other)
        interval_[other] = static_cast<std::uint8_t>(std::min(interval_[other] + aged, kDistant));
    }
    interval_[place] = kLong;
  }
  void used(std::uint32_t place) { interval_[place] = kNear; }
  void emptied(std::uint32_t place) { interval_[place] = kDistant; }
  std::uint32_t staleness(std::uint32_t place) const { return interval_[place]; }

 private:
  // Predicted time to the next use.
  static constexpr int kNear = 0;
  static constexpr int kLong = 2;
  static constexpr int kDistant = 3;

  std::uint32_t ways_;
  std::vector<std::uint8_t> interval_;  ///< by place
};

}  // namespace tcsim::memory::replacement
