#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/memory/memory_system.hpp"
#include "models/sm/sm.hpp"
#include "models/stats/stats.hpp"
#include "sim/gpu/sampling.hpp"

namespace tcsim::gpu {

/// Leaves trips of loops out. While every CTA of the chip is in a loop and the rate at which they
/// go through it is stationary, all of them jump over the same time at once, each over as many
/// trips as it would have done in it. Caches keep their state, but that the L2 is taken through the
/// reads left out. When the rate behind the gap is known as well, what the gap would have counted
/// is added to the counters, and its time to the clock of the whole run.
///
/// Rates are those of batch means: four batches of equal time, each of at least kFewestTrips trips,
/// behind a third of the time in which the machine settled; t with three degrees of freedom gives
/// their 95 % interval (Law, Simulation Modeling and Analysis, chapter 9). The interval of a gap is
/// at least half the difference of the rates at its two ends, so a rate that changes once inside it
/// stays within.
///
/// Looks are taken, and gaps made, at cycles that depend on the run alone and not on how its time
/// is cut.
class LoopSampler {
 public:
  /// Of a run from cycle `origin` on. All must outlive the sampler.
  LoopSampler(const SamplingOptions& options, Cycle origin,
              const std::vector<std::unique_ptr<sm::Sm>>& sms, memory::MemorySystem& memory,
              const stats::Group& root);

  /// The next cycle at which it wants to look.
  [[nodiscard]] Cycle due() const { return due_; }
  /// Looks, and may make a gap. Requires that everything has run up to due().
  void look();
  /// The run is over.
  void finish();

  /// The time since the origin on the clock of the whole run, that much of what is simulated having
  /// gone by.
  [[nodiscard]] Cycle whole_time(Cycle simulated) const;
  /// Lets every sub-core have counted `cycles` cycles, those of the whole run: estimates of their
  /// kinds do not add up to them exactly.
  void complete_cycles(Cycle cycles) const;
  [[nodiscard]] Sampling sampling() const;

 private:
  struct Place {
    std::size_t sm = 0;
    sm::LoopProgress progress;
  };
  struct Look {
    Cycle at = 0;
    std::vector<std::uint64_t> counters;
    std::vector<Place> places;  ///< by SM and slot
  };
  struct Window {
    std::size_t first = 0;  ///< looks
    std::size_t last = 0;
    std::size_t batch = 0;  ///< distance of looks
  };
  /// What happens per warp instruction in a window.
  struct Rates {
    double cycles = 0;
    double half_width = 0;  ///< of `cycles`
    std::vector<double> counters;
  };
  struct Gap {
    double instructions = 0;
    Rates before;
  };
  /// A gap that has both its ends.
  struct ClosedGap {
    Cycle at = 0;  ///< simulated, since the origin
    double instructions = 0;
    double cycles = 0;
    double half_width = 0;
  };

  void collect(const stats::Group& group);
  [[nodiscard]] Look take_look() const;
  [[nodiscard]] bool goes_on(const Look& look) const;
  void keep(Look look);
  void begin_anew();
  [[nodiscard]] std::optional<Window> window() const;
  [[nodiscard]] std::optional<Rates> measured() const;
  [[nodiscard]] double instructions_between(std::size_t first, std::size_t last) const;
  [[nodiscard]] double trips_of(std::size_t place, std::size_t first, std::size_t last) const;
  [[nodiscard]] double trips_between(std::size_t first, std::size_t last) const;
  void close_gap(const std::optional<Rates>& after);
  void add_to_counters(const std::vector<double>& amounts);
  void try_gap();
  void make_gap(const Rates& before, double windows);

  const SamplingOptions options_;
  const Cycle origin_;
  const std::vector<std::unique_ptr<sm::Sm>>& sms_;
  memory::MemorySystem& memory_;
  std::vector<stats::Counter*> counters_;
  std::vector<std::size_t> instructions_;                      ///< indices into counters_
  std::vector<std::vector<std::size_t>> cycles_of_sub_cores_;  ///< likewise
  Cycle due_;
  std::size_t stride_ = 1;   ///< one look of so many is kept
  std::size_t passed_ = 0;   ///< looks since the last that was kept
  std::vector<Look> looks_;  ///< at equal distances, since nothing but trips goes by
  std::optional<Gap> gap_;   ///< that waits for the rates behind it
  std::vector<ClosedGap> closed_;
};

}  // namespace tcsim::gpu
