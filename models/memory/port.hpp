#pragma once

#include <algorithm>
#include <cstdint>

#include "models/isa/cycle.hpp"

namespace tcsim::memory {

/// A link of fixed width that serves transfers in the order they are reserved. Time is kept in
/// bytes, so that transfers smaller than the width share a cycle.
class Port {
 public:
  explicit Port(int bytes_per_cycle) : width_(bytes_per_cycle) {}

  /// Sends `bytes` at the first opportunity from `earliest` on; the cycle in which the last byte
  /// has passed.
  Cycle reserve(Cycle earliest, int bytes) {
    free_ = std::max(free_, earliest * width_) + bytes;
    return ceil_div<Cycle>(free_, width_);
  }

 private:
  Cycle width_;
  Cycle free_ = 0;  ///< first free byte slot
};

}  // namespace tcsim::memory
