#pragma once

#include <optional>
#include <span>
#include <vector>

#include "models/isa/cycle.hpp"
#include "sim/gpu/counter_set.hpp"
#include "sim/gpu/sampling.hpp"

namespace tcsim::gpu {

/// What happens per unit of work while its rate is stationary.
struct Rates {
  double cycles = 0;
  double half_width = 0;  ///< of `cycles`, 95 %
  std::vector<double> counters;
};

/// Batches of a window from which rates are told.
inline constexpr std::size_t kBatches = 4;

/// The state of a run at one moment, on the clock of the whole run.
struct Mark {
  Cycle at = 0;
  double work = 0;
  CounterSet::Values counters;
};

/// The rates between the first and the last of `marks`, kBatches + 1 of them, with each batch
/// between two. By batch means: t with kBatches - 1 degrees of freedom gives the interval (Law,
/// Simulation Modeling and Analysis, chapter 9).
Rates rates_between(std::span<const Mark> marks);

/// Work that a run left out, for which it waits for the rates behind.
struct Gap {
  double work = 0;
  double instructions = 0;
  Rates before;
  std::vector<sm::IssuedWork> issued;  ///< what the work would have issued, by sub-core or in all
};

/// What a run has left out: its time, on the clock of the whole run, and its counts.
class GapLog {
 public:
  /// `counters` must outlive the log.
  GapLog(const SamplingOptions& options, const CounterSet& counters)
      : options_(options), counters_(counters) {}

  /// `gap` is told from the rates before and behind it (nothing: these could not be measured); its
  /// interval is at least half their difference, so a rate that changes once inside stays within.
  /// Adds its time at `simulated` and its counts to the counters; returns them.
  CounterSet::Values close(const Gap& gap, const std::optional<Rates>& behind, Cycle simulated);

  /// The time on the clock of the whole run, `simulated` cycles of what is simulated having gone
  /// by.
  [[nodiscard]] Cycle whole_time(Cycle simulated) const;
  [[nodiscard]] const Sampling& sampling() const { return sum_; }

 private:
  struct Closed {
    Cycle at = 0;
    double cycles = 0;
  };

  const SamplingOptions options_;
  const CounterSet& counters_;
  std::vector<Closed> closed_;
  Sampling sum_;
};

}  // namespace tcsim::gpu
