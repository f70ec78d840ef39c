#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "models/memory/replacement/policy.hpp"

namespace tcsim::memory::replacement {

/// Replaces the least recently used line.
class Lru {
 public:
  static constexpr std::string_view kName = "lru";
  static constexpr bool kNeedsPowerOfTwoWays = false;

  explicit Lru(const Shape& shape) : last_use_(std::size_t{shape.sets} * shape.ways) {}

  void filled(std::uint32_t place) { used(place); }
  void used(std::uint32_t place) { last_use_[place] = ++uses_; }
  void emptied(std::uint32_t /*place*/) {}
  std::uint32_t staleness(std::uint32_t place) const { return uses_ - last_use_[place]; }

 private:
  std::uint32_t uses_ = 0;               ///< may wrap around: differences stay correct
  std::vector<std::uint32_t> last_use_;  ///< by place
};

}  // namespace tcsim::memory::replacement
