#pragma once

#include <array>
#include <cstdint>

#include "models/isa/program.hpp"

namespace tcsim::sm {

/// The dependence counters of one warp. An instruction of variable latency increments a counter
/// when it issues and decrements it when its results are written or its sources are read. Later
/// instructions wait for zero.
class DependenceCounters {
 public:
  /// Requires a counter, not isa::ControlBits::kNoCounter.
  void count_up(std::uint8_t counter) {
    ++counts_[counter];
    busy_ = static_cast<std::uint8_t>(busy_ | (1U << counter));
  }

  /// True if the counter has reached zero. Requires that it was not zero.
  bool count_down(std::uint8_t counter) {
    if (--counts_[counter] != 0) return false;
    busy_ = static_cast<std::uint8_t>(busy_ & ~(1U << counter));
    return true;
  }

  /// Bit i: counter i is not zero.
  std::uint8_t busy() const { return busy_; }

 private:
  std::uint8_t busy_ = 0;
  std::array<std::uint32_t, isa::kDependenceCounters> counts_{};
};

}  // namespace tcsim::sm
