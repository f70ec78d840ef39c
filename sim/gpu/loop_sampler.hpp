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

/// Leaves trips of loops out. While every CTA of the chip is in a loop and the rate at which they
/// go through it is stationary and alike on all SMs, all of them jump over the same time at once,
/// each over as many trips as it would have done in it. Caches keep their state, but that the L2 is
/// taken through the reads left out.
class LoopSampler {
 public:
  /// All must outlive the sampler. `keep_going` may end the making of a gap, by WarmingStopped out
  /// of look(), and nothing is left out.
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

  /// Looks at a machine that has run up to `simulated`, and may make a gap. Looks come at equal
  /// distances.
  void look(Cycle simulated);
  /// True while the rates behind a gap are being measured.
  [[nodiscard]] bool has_open_gap() const { return gap_.has_value(); }
  /// Nothing goes on as it did before `simulated`: an open gap is closed with what is known.
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
  /// Looks behind those in which the machine settles.
  struct Window {
    std::size_t first = 0;
    std::size_t last = 0;
  };

  /// The rate of a window about one moment of what is simulated, with which rates evolve.
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
  [[nodiscard]] double trips_in(const Window& window) const;
  [[nodiscard]] double instructions_in(const Window& window) const;
  void close_gap(const std::optional<Rates>& behind, Cycle simulated);
  [[nodiscard]] Point point_of(const Window& window, const Rates& rates) const;
  void set_trend(Rates& rates, const Point& here) const;
  void note_ended(const std::vector<Place>& now);
  void end_run();
  [[nodiscard]] bool agrees(const Window& window, const Rates& rates) const;
  [[nodiscard]] std::optional<Rates> told(double trips) const;
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
  std::size_t stride_ = 1;   ///< one look of so many is kept
  std::size_t passed_ = 0;   ///< looks since the last that was kept
  std::vector<Look> looks_;  ///< at equal distances, since nothing but trips goes by
  std::optional<Gap> gap_;
  Cycle gap_begin_ = 0;        ///< of the latest gap, on the clock of what is simulated
  bool gap_is_told_ = false;   ///< from runs before
  std::vector<Point> points_;  ///< of windows before gaps, since it began anew
  std::vector<LoopStep> run_;  ///< this run through the loop, gaps included
  bool is_told_ = false;       ///< gaps of this run are told from runs before
  std::vector<std::vector<LoopStep>> ending_;  ///< runs of `these_`, until all have ended
  std::vector<Place> these_;                   ///< CTAs as the latest of `ending_` left them
  LoopHistory own_history_;
  LoopHistory& ended_;
};

}  // namespace tcsim::gpu
