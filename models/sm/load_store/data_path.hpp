#pragma once

#include <algorithm>
#include <cstdint>

#include "models/isa/cycle.hpp"
#include "models/stats/stats.hpp"

namespace tcsim::sm {

/// A data path of an SM. On the path of shared memory and L1, loads, stores, atomics and copies
/// move wavefronts, and wgmma moves its operands. Operands have priority: loads and stores use
/// cycles in which no operands wait, or go `load_interval` cycles after the previous wavefront of a
/// load or store (measured on H100: a product of n of 64, whose operands fill the path, is 3 %
/// slower alongside loads, which get one cycle of eleven; scripts/gpu/hopper/beside.cu).
class DataPath {
 public:
  /// `busy` counts the cycles in which data occupy the path.
  DataPath(int bytes_per_cycle, int load_interval, stats::Counter& busy)
      : bytes_per_cycle_(bytes_per_cycle), load_interval_(load_interval), busy_(busy) {}

  /// When nothing moves or waits any more.
  Cycle free_at() const { return free_; }
  /// When the next load or store may go.
  Cycle turn_at() const { return std::min(free_, turn_); }

  /// Moves `bytes` of loads and stores from `now` on, after what is already moving, in `least`
  /// cycles or more; returns the cycles that it takes.
  Cycle move(int bytes, Cycle now, Cycle least = 1) {
    const Cycle cycles = count(bytes, least);
    block(cycles, now);
    return cycles;
  }
  /// Loads and stores occupy the path for `cycles` more, in which no data move.
  void block(Cycle cycles, Cycle now) {
    turn_ = std::max(turn_at(), now) + load_interval_ * cycles;
    free_ = std::max(free_, now) + cycles;
  }
  /// The same for operands and boxes, which queue after what is already moving.
  void move_asynchronous(int bytes, Cycle now) { free_ = std::max(free_, now) + count(bytes, 1); }

 private:
  Cycle count(int bytes, Cycle least) {
    const Cycle cycles = std::max({Cycle{1}, least, Cycle{ceil_div(bytes, bytes_per_cycle_)}});
    busy_.add(static_cast<std::uint64_t>(cycles));
    return cycles;
  }

  const int bytes_per_cycle_;
  const int load_interval_;
  stats::Counter& busy_;
  Cycle free_ = 0;
  Cycle turn_ = 0;
};

}  // namespace tcsim::sm
