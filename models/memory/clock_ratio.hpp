#pragma once

#include <numeric>

#include "models/isa/cycle.hpp"

namespace tcsim::memory {

/// Converts times between two clocks that both started at zero, in exact integer arithmetic.
class ClockRatio {
 public:
  ClockRatio(int from_mhz, int to_mhz)
      : to_(to_mhz / std::gcd(from_mhz, to_mhz)), from_(from_mhz / std::gcd(from_mhz, to_mhz)) {}

  /// The first edge of the target clock at or after edge `cycle` of the source clock.
  Cycle up(Cycle cycle) const { return to_ == from_ ? cycle : ceil_div<Cycle>(cycle * to_, from_); }
  /// The last edge of the target clock at or before edge `cycle` of the source clock.
  Cycle down(Cycle cycle) const { return to_ == from_ ? cycle : cycle * to_ / from_; }

 private:
  Cycle to_;
  Cycle from_;
};

}  // namespace tcsim::memory
