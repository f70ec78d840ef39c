#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "models/memory/replacement/policy.hpp"

namespace tcsim::memory::replacement {

/// Pseudo-LRU with a bit for each node of a binary tree over the ways of a set: the bit points to
/// the side of the next replacement, away from the last use. If the line that the bits select may
/// not be replaced, its nearest neighbour in the tree is.
class TreePlru {
 public:
  static constexpr std::string_view kName = "tree_plru";
  static constexpr bool kNeedsPowerOfTwoWays = true;

  /// Requires a power-of-two number of ways.
  explicit TreePlru(const Shape& shape)
      : way_mask_(shape.ways - 1),
        levels_(static_cast<std::uint32_t>(std::bit_width(shape.ways)) - 1),
        sides_(std::size_t{shape.sets} * shape.ways) {}

  void filled(std::uint32_t place) { used(place); }
  void used(std::uint32_t place) {
    std::uint8_t* const sides = &sides_[place & ~way_mask_];
    std::uint32_t node = 1;
    for (std::uint32_t level = levels_; level-- > 0;) {
      const std::uint32_t side = (place >> level) & 1U;
      sides[node] = static_cast<std::uint8_t>(side ^ 1U);
      node = 2 * node + side;
    }
  }
  void emptied(std::uint32_t /*place*/) {}

  /// A bit for each node on the path to `place`, the root's the highest: set if the node points
  /// there.
  std::uint32_t staleness(std::uint32_t place) const {
    const std::uint8_t* const sides = &sides_[place & ~way_mask_];
    std::uint32_t node = 1;
    std::uint32_t pointing = 0;
    for (std::uint32_t level = levels_; level-- > 0;) {
      const std::uint32_t side = (place >> level) & 1U;
      pointing = 2 * pointing + (sides[node] == side ? 1U : 0U);
      node = 2 * node + side;
    }
    return pointing;
  }

 private:
  std::uint32_t way_mask_;
  std::uint32_t levels_;
  std::vector<std::uint8_t> sides_;  ///< by set and node: the root is 1, the children of n are 2n
                                     ///< and 2n + 1
};

}  // namespace tcsim::memory::replacement
