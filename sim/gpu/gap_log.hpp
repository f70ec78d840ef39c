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

/// How far rates in gaps differ from the exactly known rates at their two ends: half-width,
/// relative. docs/sampling.md states how well it covers tests/sampling/launches.txt
/// (scripts/sampled_against_exact).
inline constexpr double kDrift = 0.02;
inline constexpr double kDriftOnceSeen = 0.0125;  ///< if CTAs have done the whole of it before at
                                                  ///< one rate
inline constexpr double kDriftHeldUp = 0.025;     ///< of waves that DRAM holds up

/// Event counts per warp instruction while the rate is stationary.
struct Rates {
  double cycles = 0;
  double half_width = 0;  ///< of `cycles`, 95 %
  double trend = 0;       ///< increase of `cycles` per warp instruction, by least squares
  std::vector<double> counters{};
  double dirtied = 0;  ///< bytes by which the dirty ones in the L2 increase per warp instruction
  /// By kind of counter: of the sum of those counters, 95 %. Empty: relative to it as wide as that
  /// of `cycles`.
  std::vector<double> half_widths{};
};

/// Gives the sub-cores that issue nothing by `rates` every cycle as one without a warp: they count
/// these cycles only when a warp comes.
void count_idle_sub_cores(Rates& rates, const CounterSet& counters);

/// Least number of batches of a window from which rates are estimated.
inline constexpr std::size_t kBatches = 4;
inline constexpr std::size_t kMoreBatches = 8;  ///< of a window that is long enough

/// The first third of the measured part is left for the machine to settle.
inline constexpr std::size_t kSettlingShare = 3;

/// The state of a run at one moment, on the clock of the whole run.
struct Mark {
  Cycle at = 0;
  double instructions = 0;
  CounterSet::Values counters;
};

/// Keeps every other element of `all`, including the first.
template <typename T>
void thin_out(std::vector<T>& all) {
  for (std::size_t i = 0; 2 * i < all.size(); ++i) std::swap(all[i], all[2 * i]);
  all.resize((all.size() + 1) / 2);
}

/// The rates of `counters` between the first and the last of `marks`; two consecutive marks delimit
/// a batch, and there must be at least kBatches. Uses batch means: Student's t with one degree of
/// freedom less than there are batches gives the interval (Law, Simulation Modeling and Analysis,
/// chapter 9). It is infinite if nothing was issued in a batch.
Rates rates_between(std::span<const Mark> marks, const CounterSet& counters);

/// A part that a run skipped and whose rates after the gap are still to be measured.
struct Gap {
  double instructions = 0;
  double window = 0;  ///< instructions of the window in which `before` was measured
  Rates before;
  double drift = kDrift;               ///< how far its rate may deviate unobserved, relative
  double ahead = 0;                    ///< instructions after the gap that continue alike
  bool is_of_waves = false;            ///< a gap of waves; otherwise of iterations, which write no
                                       ///< global memory
  std::optional<double> read_bytes{};  ///< by DRAM, if known
  std::int64_t cleaned_bytes = 0;      ///< dirty bytes of the L2 before it, less those behind it
  std::vector<sm::IssuedWork> issued;  ///< by sub-core, or for all together

  /// Its time at the rate before it.
  [[nodiscard]] double cycles() const { return instructions * before.cycles; }
};

/// What a run has skipped: its time, on the clock of the whole run, and its counts.
class GapLog {
 public:
  /// `counters` must outlive the log.
  GapLog(const SamplingOptions& options, const CounterSet& counters)
      : options_(options),
        counters_(counters),
        counters_of_trips_(counters.kinds().size()),
        counters_of_waves_(counters.kinds().size()) {}

  /// Estimates `gap` from the rates before and after it (if empty, they could not be measured, so
  /// its time is unknown). The interval of its time is at least half the difference of the rates,
  /// which covers a rate that changes once inside, and at least its drift. Adds the time at
  /// `simulated`, and the counts to the counters; returns the counts.
  CounterSet::Values close(const Gap& gap, const std::optional<Rates>& behind, Cycle simulated);

  /// The CTAs reach the end of the loop, where the last iterations have the rates `at_end`, if
  /// known. A rate that evolves with the iterations lags after a gap by what the gap skipped. The
  /// gap was therefore estimated at its own rate instead of that of the last iterations. This adds
  /// the part of the difference that exceeds the gap's half-width.
  void end_loop(const std::optional<Rates>& at_end);

  /// True if `behind`, measured over `window` instructions, gives the rates after `gap` as
  /// precisely as requested, or as precisely as those before it are known.
  [[nodiscard]] bool tells(const Gap& gap, const Rates& behind, double window) const {
    return window >= gap.window || is_known(behind);
  }
  /// True if the cycles of `rates` are known as precisely as requested.
  [[nodiscard]] bool is_known(const Rates& rates) const {
    return rates.half_width <= options_.tolerance() * rates.cycles;
  }
  /// A kernel ended at `simulated`: its gaps were closed no later.
  void end_kernel(Cycle simulated);
  /// Warp instructions that a gap like `planned` may skip at `now` so that the time of the whole
  /// run stays as precise as requested, and ends before the limit of the run; its trend continues
  /// over `planned.ahead`. None where little is to come.
  [[nodiscard]] double affordable(const Mark& now, const Gap& planned) const;

  /// True if the half-width at `now` is more than the run may have in the end. No gap is affordable
  /// then.
  [[nodiscard]] bool is_too_wide(const Mark& now) const;
  /// Closed ones.
  [[nodiscard]] int gaps() const { return gaps_; }

  /// The time on the clock of the whole run after `simulated` simulated cycles.
  [[nodiscard]] Cycle whole_time(Cycle simulated) const;
  /// The current state of the run, at that moment.
  [[nodiscard]] Mark mark(Cycle simulated) const;
  /// What a run of `cycles`, on that clock, has skipped. Gaps of one kind have correlated errors,
  /// so their half-widths add up. The errors of iterations and of waves are independent and add in
  /// squares.
  [[nodiscard]] Sampling sampling(Cycle cycles) const;

 private:
  struct ClosedInLoop {
    double instructions = 0;
    double cycles = 0;      ///< per instruction
    double half_width = 0;  ///< in cycles, for all instructions
  };

  struct HalfWidths {  ///< in cycles
    double of_trips = 0;
    double of_waves = 0;
  };

  /// Of the run, that it may have if the rest of it has the mean rate so far.
  [[nodiscard]] double most_half_width(const Mark& now) const;
  /// For a run of `cycles`. Waves have the relative error of the iterations that they were measured
  /// in, in addition to their own.
  [[nodiscard]] HalfWidths half_widths(double cycles) const;
  /// Adds to the half-widths of the counters those of a gap with these rates at its ends, of which
  /// estimates were corrected by `corrected`, by kind.
  void add_half_widths(const Gap& gap, const Rates& after, bool is_seen,
                       const std::vector<double>& corrected);
  /// Half-width of the estimates of loops in a run of `cycles`, per cycle that is not estimated
  /// from waves.
  [[nodiscard]] double error_of_trips(double cycles) const;

  const SamplingOptions options_;
  const CounterSet& counters_;
  std::vector<LeftOut> closed_;
  std::vector<ClosedInLoop> in_this_loop_;
  int gaps_ = 0;
  double instructions_ = 0;
  double cycles_of_trips_ = 0;  ///< skipped
  double cycles_of_waves_ = 0;
  double half_width_of_trips_ = 0;
  double missed_trends_ = 0;  ///< in cycles
  double half_width_of_waves_ = 0;
  std::vector<double> counters_of_trips_;  ///< half-widths by kind of counter
  std::vector<double> counters_of_waves_;
};

}  // namespace tcsim::gpu
