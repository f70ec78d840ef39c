#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "sim/gpu/counter_set.hpp"
#include "sim/gpu/gap_log.hpp"
#include "sim/gpu/grid_sampler.hpp"
#include "sim/gpu/loop_sampler.hpp"

namespace tcsim::gpu {

/// Leaves out of a run what is known to go on as it did: trips of loops, and waves of a grid. What
/// was left out is told from the rates before and behind it (GapLog) and added to the counters when
/// both are known.
///
/// Looks are taken, and gaps made, at cycles that depend on the run alone and not on how its time
/// is cut.
class Sampler {
 public:
  /// Of a run from cycle `origin` on. All must outlive the sampler. `keep_going` is asked many
  /// times a second while a gap is being made; when it says no, that gap is not made.
  Sampler(const SamplingOptions& options, Cycle origin,
          const std::vector<std::unique_ptr<sm::Sm>>& sms, memory::MemorySystem& memory,
          CtaScheduler& scheduler, const stats::Group& root,
          const std::function<bool()>& keep_going);

  /// The next cycle at which it wants to look.
  [[nodiscard]] Cycle due() const { return due_; }
  /// Looks, and may make a gap. Requires that everything has run up to due().
  void look();
  /// The run is over.
  void finish();
  /// Lets the sub-cores have counted the cycles of the whole run, `cycles`.
  void complete_cycles(Cycle cycles) const { counters_.complete_cycles(cycles); }
  [[nodiscard]] const GapLog& log() const { return log_; }

 private:
  const Cycle origin_;
  Cycle due_;
  CounterSet counters_;
  GapLog log_;
  LoopSampler loops_;
  GridSampler grids_;
};

}  // namespace tcsim::gpu
