#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "models/memory/memory_system.hpp"
#include "models/sm/sm.hpp"
#include "sim/gpu/counter_set.hpp"
#include "sim/gpu/gap_log.hpp"
#include "sim/gpu/loop_history.hpp"
#include "sim/gpu/sampling.hpp"

namespace tcsim::gpu {

/// Skips iterations of loops. When every CTA of the chip is in a loop and their rate is stationary
/// and equal on all SMs, all of them skip the same time at once, each as many iterations as it
/// would have done in that time. Caches keep their state, except that the L2 is updated with the
/// skipped reads.
class LoopSampler {
 public:
  /// All references must outlive the sampler. `keep_going` may abort the making of a gap: look()
  /// then throws WarmingStopped and nothing is skipped.
  LoopSampler(const SamplingOptions& options, const std::vector<std::unique_ptr<sm::Sm>>& sms,
              memory::MemorySystem& memory, const CounterSet& counters, GapLog& log,
              std::function<bool()> keep_going)
      : options_(options),
        sms_(sms),
        memory_(memory),
        counters_(counters),
        log_(log),
        keep_going_(std::move(keep_going)),
        ended_(options.history != nullptr ? *options.history : own_history_) {
    ended_.begin_launch();
  }

  /// Examines a machine that has run up to `simulated`; may make a gap. Looks are taken at equal
  /// distances.
  void look(Cycle simulated);
  /// True while the rates after a gap are being measured.
  [[nodiscard]] bool has_open_gap() const { return gap_.has_value(); }
  /// The time of that gap at the rate before it.
  [[nodiscard]] double open_cycles() const { return gap_ ? gap_->cycles() : 0; }
  /// Behaviour changes at `simulated`: an open gap is closed with what is known.
  void begin_anew(Cycle simulated);

 private:
  struct Place {
    std::size_t sm = 0;
    sm::LoopProgress progress;
  };
  struct Look {
    Cycle simulated = 0;
    Mark mark;
    std::vector<Place> places;  ///< by SM and slot
  };
  /// Looks after those in which the machine settles.
  struct Window {
    std::size_t first = 0;
    std::size_t last = 0;
  };

  /// The rate of a window around one moment of the simulated time, to track how rates evolve.
  struct Point {
    double simulated = 0;
    double rate = 0;
  };

  [[nodiscard]] std::vector<Place> places() const;
  [[nodiscard]] bool goes_on(const std::vector<Place>& places) const;
  void keep(Cycle simulated, std::vector<Place> places);
  [[nodiscard]] std::optional<Window> window() const;
  [[nodiscard]] Rates rates_in(const Window& window) const;
  [[nodiscard]] double phase_difference(const Window& window) const;
  [[nodiscard]] double spread_of_sms(const Window& window) const;
  [[nodiscard]] static double mean_trips(const std::vector<Place>& places);
  [[nodiscard]] double trips_of(std::size_t place, const Window& window) const;
  [[nodiscard]] double simulated_trips_of(std::size_t place) const;
  [[nodiscard]] double trips_in(const Window& window) const;
  [[nodiscard]] double instructions_in(const Window& window) const;
  void close_gap(const std::optional<Rates>& behind, Cycle simulated);
  [[nodiscard]] Point point_of(const Window& window, const Rates& rates) const;
  void set_trend(Rates& rates, const Point& here) const;
  void note_ended(const std::vector<Place>& now);
  void end_run();
  [[nodiscard]] bool agrees(const Window& window, const Rates& rates) const;
  [[nodiscard]] std::optional<Rates> rates_from_passes(double trips) const;
  void try_gap(Cycle simulated);
  [[nodiscard]] std::vector<std::int64_t> trips_to_leave_out(const Window& window,
                                                             double windows) const;
  void make_gap(const Window& window, Gap gap, const std::vector<std::int64_t>& trips_left_out);

  const SamplingOptions options_;
  const std::vector<std::unique_ptr<sm::Sm>>& sms_;
  memory::MemorySystem& memory_;
  const CounterSet& counters_;
  GapLog& log_;
  const std::function<bool()> keep_going_;
  std::size_t stride_ = 1;   ///< one look out of this many is kept
  std::size_t passed_ = 0;   ///< looks since the last one that was kept
  std::vector<Look> looks_;  ///< at equal distances, during which nothing happened but iterations
  /// Of the CTAs at the first look of this run, and what each skipped since.
  std::vector<Place> begun_;
  std::vector<std::int64_t> skipped_;
  std::optional<Gap> gap_;
  Cycle gap_begin_ = 0;                        ///< of the latest gap, in simulated time
  bool gap_is_from_passes_ = false;            ///< estimated from earlier runs
  std::vector<Point> points_;                  ///< of windows before gaps, since the last restart
  std::vector<LoopStep> run_;                  ///< this run through the loop, including gaps
  bool run_is_from_passes_ = false;            ///< gaps of this run are estimated from earlier runs
  std::vector<std::vector<LoopStep>> ending_;  ///< runs of `these_`, until all have ended
  std::vector<Place> these_;                   ///< CTAs at the end of the latest of `ending_`
  LoopHistory own_history_;
  LoopHistory& ended_;
};

}  // namespace tcsim::gpu
