#pragma once

#include <algorithm>

#include "models/isa/cycle.hpp"
#include "models/sm/params.hpp"

namespace tcsim::sm {

/// When the barriers of an SM open. One unit serves all its CTAs and handles one arrival after the
/// other (BB24: two CTAs of 16 warps take as long as one of 32).
class BarrierUnit {
 public:
  explicit BarrierUnit(const BarrierParams& params) : params_(params) {}

  void arrive(Cycle now) { free_ = std::max(free_, now) + params_.per_warp_cycles; }
  /// The cycle at which warps leave a barrier whose last arrival has been handled, or that an exit
  /// at `now` completes.
  Cycle opens_at(Cycle now) const { return std::max(free_, now) + params_.base_cycles; }

 private:
  const BarrierParams params_;
  Cycle free_ = 0;  ///< when the arrivals so far have been handled
};

}  // namespace tcsim::sm
