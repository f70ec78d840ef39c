#pragma once

#include "models/isa/cycle.hpp"

namespace tcsim::memory {

/// A link of fixed width that serves transfers in the order in which they are reserved. Transfers
/// smaller than the width share a cycle.
class Port {
 public:
  explicit Port(int bytes_per_cycle) : width_(bytes_per_cycle) {}

  /// Sends `bytes` at the first opportunity from `earliest` on. Returns the cycle in which the last
  /// byte has passed.
  Cycle reserve(Cycle earliest, int bytes) {
    if (earliest > free_) {
      free_ = earliest;
      used_ = 0;
    }
    // No division: most transfers take one or two cycles.
    for (used_ += bytes; used_ >= width_; used_ -= width_) ++free_;
    return used_ > 0 ? free_ + 1 : free_;
  }

 private:
  int width_;
  int used_ = 0;    ///< bytes used in cycle free_
  Cycle free_ = 0;  ///< the first cycle that is not full
};

}  // namespace tcsim::memory
