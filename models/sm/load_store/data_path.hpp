#pragma once

#include <algorithm>
#include <cstdint>

#include "models/isa/cycle.hpp"
#include "models/stats/stats.hpp"

namespace tcsim::sm {

/// The SM's one path for the data of loads, stores, atomics and copies into shared memory.
class DataPath {
 public:
  /// `busy` counts the cycles in which data take it.
  DataPath(int bytes_per_cycle, stats::Counter& busy)
      : bytes_per_cycle_(bytes_per_cycle), busy_(busy) {}

  Cycle free_at() const { return free_; }

  /// Moves `bytes` from `now` on, behind what moves already.
  void move(int bytes, Cycle now) {
    const Cycle cycles = std::max(1, ceil_div(bytes, bytes_per_cycle_));
    block(cycles, now);
    busy_.add(static_cast<std::uint64_t>(cycles));
  }
  /// Is taken for `cycles` more in which no data move.
  void block(Cycle cycles, Cycle now) { free_ = std::max(free_, now) + cycles; }

 private:
  const int bytes_per_cycle_;
  stats::Counter& busy_;
  Cycle free_ = 0;
};

}  // namespace tcsim::sm
