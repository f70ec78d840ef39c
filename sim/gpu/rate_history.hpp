#pragma once

#include <vector>

#include "sim/gpu/gap_log.hpp"

namespace tcsim::gpu {

/// The rates at which CTAs went through a loop that have ended: when they agree, they say what
/// those of CTAs in the same loop will be.
class RateHistory {
 public:
  /// `rate` is in cycles per warp instruction, of a window.
  void add(double rate) { rates_.push_back(rate); }
  /// True if there are enough.
  [[nodiscard]] bool tell_rates() const { return rates_.size() >= kFewest; }
  /// True if `rates` are as those before, both within `tolerance`, relative: then `rates` get the
  /// interval of one window more, by Student's t, and no trend. Of others, nothing is kept.
  bool inform(Rates& rates, double tolerance);

 private:
  static constexpr std::size_t kFewest = 3;

  std::vector<double> rates_;
};

}  // namespace tcsim::gpu
