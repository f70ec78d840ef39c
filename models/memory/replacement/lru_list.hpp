#pragma once

#include <cstdint>
#include <numeric>
#include <string_view>
#include <vector>

#include "models/memory/replacement/lru.hpp"
#include "models/memory/replacement/policy.hpp"

namespace tcsim::memory::replacement {

/// Lru for one set of many places: a list in order of use, so that the stalest place is known
/// without looking at the others. Each operation takes constant time.
class LruList {
 public:
  static constexpr std::string_view kName = Lru::kName;

  /// Requires one set.
  explicit LruList(const Shape& shape)
      : earlier_(shape.ways), later_(shape.ways), latest_(shape.ways - 1) {
    std::iota(later_.begin(), later_.end(), 1U);
    for (std::uint32_t place = 1; place < shape.ways; ++place) earlier_[place] = place - 1;
  }

  void filled(std::uint32_t place) { used(place); }
  void used(std::uint32_t place) {
    if (place == latest_) return;
    const std::uint32_t later = later_[place];
    if (place == stalest_) {
      stalest_ = later;
    } else {
      later_[earlier_[place]] = later;
      earlier_[later] = earlier_[place];
    }
    later_[latest_] = place;
    earlier_[place] = latest_;
    latest_ = place;
  }
  std::uint32_t stalest() const { return stalest_; }

 private:
  std::vector<std::uint32_t> earlier_;  ///< by place: used just before it; undefined at stalest_
  std::vector<std::uint32_t> later_;    ///< by place: used just after it; undefined at latest_
  std::uint32_t stalest_ = 0;
  std::uint32_t latest_;
};

}  // namespace tcsim::memory::replacement
