#pragma once

#include <optional>
#include <vector>

#include "models/isa/cycle.hpp"
#include "sim/gpu/gap_log.hpp"

namespace tcsim::gpu {

/// One moment of a run of CTAs through a loop.
struct LoopStep {
  Cycle simulated = 0;
  double trips = 0;  ///< completed iterations, the mean over the CTAs
  Mark mark;
};

/// How CTAs went through a loop, run by run. The time that earlier CTAs took for some iterations is
/// what others will take for the same ones: variations between iterations, for example when all
/// tiles begin with cold lines, are the same for all.
class LoopHistory {
 public:
  /// `steps` in order of time. A run of fewer than two steps is not kept. The first run, with cold
  /// caches, is used only for goes_on(). If the rate differs from that of the previous runs, they
  /// are discarded.
  void add(std::vector<LoopStep> steps);
  /// Later additions belong to another launch, whose first run is not kept either.
  void begin_launch() { has_begun_ = false; }
  /// True if there are enough runs and the first one of this launch has ended.
  [[nodiscard]] bool has_enough() const { return has_begun_ && runs_.size() >= kFewest; }
  /// Instructions of the latest run. Requires that there is one.
  [[nodiscard]] double instructions_of_run() const;

  /// Rates between two iteration numbers: the mean of the runs that did all of these iterations,
  /// with no trend. The interval is that of the mean of `further` runs (1 or more) by Student's t.
  /// Empty if too few runs did them, or in the first run of a launch.
  [[nodiscard]] std::optional<Rates> rates(double from, double to, double further) const;
  /// Half-widths of the counts per instruction in these rates, by kind of counter. Requires that
  /// there are rates.
  [[nodiscard]] std::vector<double> half_widths_of_counters(double from, double to, double further,
                                                            const CounterSet& counters) const;

  /// True if `window`, the rates between two iteration numbers, agree with those of earlier runs
  /// within `tolerance`, relative, or within the interval of either.
  [[nodiscard]] bool agrees(const Rates& window, double from, double to, double tolerance) const;

  /// True if the latest run, even the first one, went from iteration `from` to `to` at the rate
  /// `here`, in cycles per instruction, or at its rate from `since` on, within `tolerance`,
  /// relative.
  [[nodiscard]] bool goes_on(double here, double since, double from, double to,
                             double tolerance) const;

 private:
  static constexpr std::size_t kFewest = 3;

  [[nodiscard]] std::vector<Rates> rates_of_runs(double from, double to) const;

  bool has_begun_ = false;  ///< a run of this launch has ended
  std::vector<std::vector<LoopStep>> runs_;
  std::vector<LoopStep> first_;  ///< the first run of the latest launch, with cold caches
};

}  // namespace tcsim::gpu
