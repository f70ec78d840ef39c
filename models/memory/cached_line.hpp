#pragma once

#include <cstdint>

namespace tcsim::memory {

/// A line of the L2 as one simulation leaves it and another starts with it. Masks have a bit per
/// sector.
struct CachedLine {
  std::uint64_t address = 0;
  std::uint8_t valid = 0;
  std::uint8_t dirty = 0;
  std::int8_t copy_side = -1;  ///< partition with a copy of a line of the other one; -1: none

  bool operator==(const CachedLine&) const = default;
};

}  // namespace tcsim::memory
