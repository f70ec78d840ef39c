#pragma once

#include <algorithm>
#include <cstdint>

#include "models/isa/cycle.hpp"
#include "models/stats/stats.hpp"

namespace tcsim::sm {

/// The SM's one path for the data of loads, stores, atomics and copies into shared memory, of the
/// operands of wgmma and of boxes of TMA. The latter two lie in wait behind each other; loads and
/// stores take turns with them, a wavefront each (assumption: no source tells how they share it,
/// and a load that waits for a free path would starve under back-to-back products).
class DataPath {
 public:
  /// `busy` counts the cycles in which data take it.
  DataPath(int bytes_per_cycle, stats::Counter& busy)
      : bytes_per_cycle_(bytes_per_cycle), busy_(busy) {}

  /// When nothing is under way or lies in wait any more.
  Cycle free_at() const { return free_; }
  /// When the next load or store may go.
  Cycle turn_at() const { return turn_; }

  /// Moves `bytes` of loads and stores from `now` on, behind what moves already.
  void move(int bytes, Cycle now) { block(count(bytes), now); }
  /// Is taken by loads and stores for `cycles` more in which no data move.
  void block(Cycle cycles, Cycle now) {
    free_ = std::max(free_, now) + cycles;
    turn_ = std::min(free_, std::max(turn_, now) + 2 * cycles);
  }
  /// The same of operands and boxes.
  void move_asynchronous(int bytes, Cycle now) { block_asynchronous(count(bytes), now); }
  void block_asynchronous(Cycle cycles, Cycle now) { free_ = std::max(free_, now) + cycles; }

 private:
  Cycle count(int bytes) {
    const Cycle cycles = std::max(1, ceil_div(bytes, bytes_per_cycle_));
    busy_.add(static_cast<std::uint64_t>(cycles));
    return cycles;
  }

  const int bytes_per_cycle_;
  stats::Counter& busy_;
  Cycle free_ = 0;
  Cycle turn_ = 0;
};

}  // namespace tcsim::sm
