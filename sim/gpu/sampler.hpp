#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "sim/gpu/counter_set.hpp"
#include "sim/gpu/gap_log.hpp"
#include "sim/gpu/grid_sampler.hpp"
#include "sim/gpu/loop_sampler.hpp"

namespace tcsim::gpu {

/// Skips parts of a run that are known to continue as before: iterations of loops, and waves of a
/// grid. What was skipped is estimated from the rates before and after it (GapLog) and added to the
/// counters when both are known.
///
/// Looks are taken, and gaps made, at cycles that depend only on the run and not on how its time is
/// split.
class Sampler {
 public:
  /// For a run from cycle `origin` on. All references must outlive the sampler. `keep_going` is
  /// asked many times a second while a gap is being made; if it returns false, that gap is not
  /// made. DRAM moves at most `dram_bytes_per_cycle`.
  Sampler(const SamplingOptions& options, Cycle origin,
          const std::vector<std::unique_ptr<sm::Sm>>& sms, memory::MemorySystem& memory,
          CtaScheduler& scheduler, const stats::Group& root, double dram_bytes_per_cycle,
          const std::function<bool()>& keep_going);

  /// The cycle of the next look.
  [[nodiscard]] Cycle due() const { return due_; }
  /// Looks, and may make a gap. Requires that everything has run up to due().
  void look();
  /// Closes the gaps of kernels that have ended, at their ends: their time is the kernels'.
  void end_kernels();
  /// True if the run was to be given up when it cannot be as precise as asked, and cannot be.
  [[nodiscard]] bool has_given_up() const { return has_given_up_; }
  /// The run is over.
  void finish();
  /// Makes the cycle counts of the sub-cores sum to the cycles of the whole run, `cycles`.
  void complete_cycles(Cycle cycles) const { counters_.complete_cycles(cycles); }
  [[nodiscard]] const GapLog& log() const { return log_; }
  /// What the log will add for the gaps that are not closed yet, at the rates before them.
  [[nodiscard]] Cycle open_cycles() const;

 private:
  void close_gaps(Cycle simulated);

  const SamplingOptions options_;
  int gaps_ = 0;  ///< that were closed at the last look
  bool has_given_up_ = false;
  const Cycle origin_;
  CtaScheduler& scheduler_;
  std::size_t ended_ = 0;  ///< kernels
  Cycle due_;
  CounterSet counters_;
  GapLog log_;
  LoopSampler loops_;
  GridSampler grids_;
};

}  // namespace tcsim::gpu
