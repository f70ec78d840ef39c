#pragma once

#include <optional>
#include <vector>

#include "models/isa/cycle.hpp"
#include "sim/gpu/gap_log.hpp"

namespace tcsim::gpu {

/// A moment of a run of CTAs through a loop.
struct LoopStep {
  Cycle simulated = 0;
  double trips = 0;  ///< done, the mean over the CTAs
  Mark mark;
};

/// How CTAs went through a loop, run by run. The time that those before took over some trips is
/// what others will take over the same ones: what differs from trip to trip, as when all tiles
/// begin with cold lines, is alike in all.
class LoopHistory {
 public:
  /// `steps` in the order of their time. Of a run of fewer than two, nothing is kept; the first
  /// one, with cold caches, says for goes_on() alone how it went. If it went at another rate than
  /// those before, they are forgotten.
  void add(std::vector<LoopStep> steps);
  /// What is added from here on is of another launch, whose first run is not kept either.
  void begin_launch() { has_begun_ = false; }
  /// True if there are enough runs and the first one of this launch is over.
  [[nodiscard]] bool has_enough() const { return has_begun_ && runs_.size() >= kFewest; }
  /// Instructions of the latest run. Requires a run.
  [[nodiscard]] double instructions_of_run() const;

  /// Rates between two numbers of trips, the mean of the runs that did all of them, with the
  /// interval of the mean of `further` runs (1 or more) by Student's t and no trend; nothing if
  /// fewer runs than are enough did them, or in the first run of a launch.
  [[nodiscard]] std::optional<Rates> rates(double from, double to, double further) const;

  /// True if `window`, the rates between two numbers of trips, are those of the runs before within
  /// `tolerance`, relative, or the interval of either.
  [[nodiscard]] bool agrees(const Rates& window, double from, double to, double tolerance) const;

  /// True if the latest run, be it the first one, went from `from` to `to` trips at the rate
  /// `here`, cycles per instruction, or at that at which it had gone since `since`, within
  /// `tolerance`, relative.
  [[nodiscard]] bool goes_on(double here, double since, double from, double to,
                             double tolerance) const;

 private:
  static constexpr std::size_t kFewest = 3;

  bool has_begun_ = false;  ///< a run of this launch has ended
  std::vector<std::vector<LoopStep>> runs_;
  std::vector<LoopStep> first_;  ///< of the latest launch, with cold caches
};

}  // namespace tcsim::gpu
