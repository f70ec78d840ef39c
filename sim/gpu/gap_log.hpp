#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "models/isa/cycle.hpp"
#include "sim/gpu/counter_set.hpp"
#include "sim/gpu/sampling.hpp"

namespace tcsim::gpu {

/// How far rates in gaps are from those at their two ends, of which both are known exactly:
/// half-width, relative. docs/sampling.md says what it holds of tests/sampling/launches.txt
/// (scripts/sampled_against_exact).
inline constexpr double kDrift = 0.02;
inline constexpr double kDriftOnceSeen = 0.0125;  ///< where CTAs have done all of it at one rate

/// What happens per warp instruction while its rate is stationary.
struct Rates {
  double cycles = 0;
  double half_width = 0;  ///< of `cycles`, 95 %
  double trend = 0;       ///< by which `cycles` rise per warp instruction, by least squares
  std::vector<double> counters{};
};

/// Batches of a window from which rates are told, at least.
inline constexpr std::size_t kBatches = 4;

/// Of what is measured, the first third is left to the machine to settle.
inline constexpr std::size_t kSettlingShare = 3;

/// How many of `steps` equal steps one of kBatches batches behind the settling takes.
inline std::size_t batch_of(std::size_t steps) {
  return (steps - steps / kSettlingShare) / kBatches;
}

/// The state of a run at one moment, on the clock of the whole run.
struct Mark {
  Cycle at = 0;
  double instructions = 0;
  CounterSet::Values counters;
};

/// Of `all`, every other one stays, the first among them.
template <typename T>
void thin_out(std::vector<T>& all) {
  for (std::size_t i = 0; 2 * i < all.size(); ++i) std::swap(all[i], all[2 * i]);
  all.resize((all.size() + 1) / 2);
}

/// The rates between the first and the last of `marks`, with a batch between two neighbours,
/// kBatches at least. By batch means: Student's t of one degree of freedom less gives the interval
/// (Law, Simulation Modeling and Analysis, chapter 9), which is infinite if nothing issued in a
/// batch.
Rates rates_between(std::span<const Mark> marks);

/// What a run left out, for which it waits for the rates behind.
struct Gap {
  double instructions = 0;
  double window = 0;  ///< instructions of the window in which `before` was measured
  Rates before;
  double drift = kDrift;               ///< how far its rate may move unseen, relative
  double ahead = 0;                    ///< instructions behind the gap that go on as those in it
  bool is_of_waves = false;            ///< and not of trips, which write no global memory
  std::uint64_t displaced_bytes = 0;   ///< dirty ones that its reads drove out of the L2
  std::vector<sm::IssuedWork> issued;  ///< by sub-core, or in all
};

/// What a run has left out: its time, on the clock of the whole run, and its counts.
class GapLog {
 public:
  /// `counters` must outlive the log.
  GapLog(const SamplingOptions& options, const CounterSet& counters)
      : options_(options), counters_(counters) {}

  /// `gap` is told from the rates before and behind it (nothing: they could not be measured, so its
  /// time may be any). The interval of its time is at least half their difference, so a rate that
  /// changes once inside stays within, and at least its drift. Adds the time at
  /// `simulated` and its counts to the counters; returns them.
  CounterSet::Values close(const Gap& gap, const std::optional<Rates>& behind, Cycle simulated);

  /// The CTAs come to the end of the loop, at whose last trips the rates are `at_end`, if known.
  /// What evolves with the trips is late behind a gap by as much as it left out: instead of the
  /// last trips, at the rate of the end, it was told at its own.
  void end_loop(const std::optional<Rates>& at_end);

  /// True if `behind`, measured over `window` instructions, tells the rates behind `gap` as well as
  /// is asked for or as those before it are known.
  [[nodiscard]] bool tells(const Gap& gap, const Rates& behind, double window) const {
    return window >= gap.window || is_known(behind);
  }
  /// True if the cycles of `rates` are known as well as is asked for.
  [[nodiscard]] bool is_known(const Rates& rates) const {
    return rates.half_width <= options_.tolerance() * rates.cycles;
  }
  /// Warp instructions that a gap as `planned` may leave out at `now` so that the time of the whole
  /// run stays as sure as was asked for; over `planned.ahead` its trend goes on.
  [[nodiscard]] double affordable(const Mark& now, const Gap& planned) const;

  /// The time on the clock of the whole run, `simulated` cycles of what is simulated having gone
  /// by.
  [[nodiscard]] Cycle whole_time(Cycle simulated) const;
  /// The run at that moment, which is now.
  [[nodiscard]] Mark mark(Cycle simulated) const;
  /// What a run of `cycles`, on that clock, has left out. Gaps of one kind err alike, so their
  /// half-widths add up. How trips differ and how waves do are two things, and add in squares.
  [[nodiscard]] Sampling sampling(Cycle cycles) const;

 private:
  struct Closed {
    Cycle at = 0;
    double cycles = 0;
  };

  struct ClosedInLoop {
    double instructions = 0;
    double cycles = 0;      ///< for each
    double half_width = 0;  ///< cycles, of all
  };

  struct HalfWidths {  ///< cycles
    double of_trips = 0;
    double of_waves = 0;
  };

  /// In a run of `cycles`. Waves have the relative error of the trips that they were measured in
  /// besides their own.
  [[nodiscard]] HalfWidths half_widths(double cycles) const;
  /// Of what is told of loops in a run of `cycles`: its half-width for each cycle that is not told
  /// of waves.
  [[nodiscard]] double error_of_trips(double cycles) const;

  const SamplingOptions options_;
  const CounterSet& counters_;
  std::vector<Closed> closed_;
  std::vector<ClosedInLoop> in_this_loop_;
  int gaps_ = 0;
  double instructions_ = 0;
  double cycles_of_trips_ = 0;  ///< left out
  double cycles_of_waves_ = 0;
  double half_width_of_trips_ = 0;
  double missed_trends_ = 0;  ///< cycles
  double half_width_of_waves_ = 0;
};

}  // namespace tcsim::gpu
