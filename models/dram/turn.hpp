#pragma once

#include <array>
#include <cstdint>

#include "models/dram/params.hpp"
#include "models/dram/request_queue.hpp"

namespace tcsim::dram {

/// Decides which direction owns the data bus. Writes collect in the queue and leave in batches,
/// because each change from writing to reading leaves the bus idle for tWTR and CL. Everything is
/// counted in bursts, not in clocks, so decisions change only when the queue changes.
class Turn {
 public:
  /// Reads served beyond the quota of their turn after which even a few waiting writes get a turn
  /// (assumption: far more than a queue holds, so that this is rare).
  static constexpr int kReadsPerTurn = 1024;

  /// Consecutive turns that may end without serving the oldest request of their direction
  /// (assumption: a bound that traffic seldom reaches).
  static constexpr int kMissedTurnsCap = 4;

  /// Takes the watermarks and the size of the queue from `params`.
  explicit Turn(const DramParams& params);

  [[nodiscard]] Direction direction() const { return direction_; }
  /// Examines the queue and passes the turn to the other direction if that is due; returns true if
  /// it did. A second call in a row changes nothing.
  bool update(const RequestQueue& queue);
  /// Records that a burst of direction() was served.
  void burst_served();

 private:
  [[nodiscard]] bool may_end(const RequestQueue& queue) const;
  [[nodiscard]] bool is_wanted(const RequestQueue& queue) const;
  void pass_on(const RequestQueue& queue);
  [[nodiscard]] int entry_quota(const RequestQueue& queue) const;

  /// What a direction still had waiting when its turn ended.
  struct Leftover {
    std::uint64_t oldest_age = 0;
    int turns_missed = 0;  ///< consecutive turns that ended without serving that request
  };

  const int high_watermark_;
  const int low_watermark_;
  Direction direction_ = Direction::kRead;
  int quota_ = 0;  ///< bursts still to serve before this turn may end; negative afterwards
  std::array<Leftover, 2> leftovers_{};
};

}  // namespace tcsim::dram
