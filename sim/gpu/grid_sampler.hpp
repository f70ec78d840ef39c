#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "models/memory/memory_system.hpp"
#include "models/sm/sm.hpp"
#include "sim/gpu/cta_scheduler.hpp"
#include "sim/gpu/gap_log.hpp"
#include "sim/gpu/sampling.hpp"

namespace tcsim::gpu {

/// Leaves CTAs of a grid out whose CTAs are equal. When the rate at which they end is stationary
/// over waves, those that are resident become those a number of whole waves further on, and go on
/// from where they are. The L2 is taken through the accesses of the last wave left out. The first
/// wave and the last ones are always simulated.
class GridSampler {
 public:
  /// All must outlive the sampler. `keep_going` may end the making of a gap, by WarmingStopped out
  /// of look(), and nothing is left out.
  GridSampler(const std::vector<std::unique_ptr<sm::Sm>>& sms, memory::MemorySystem& memory,
              CtaScheduler& scheduler, GapLog& log, std::function<bool()> keep_going)
      : sms_(sms),
        memory_(memory),
        scheduler_(scheduler),
        log_(log),
        keep_going_(std::move(keep_going)) {}

  /// Looks at a machine that has run up to `simulated` and may make or close a gap: then true, what
  /// others have measured does not go on.
  bool look(Cycle simulated);
  /// The run is over.
  void finish(Cycle simulated);

 private:
  bool mark(Cycle simulated, const CtaScheduler::Dispatched& grid);
  void begin_anew();
  bool make_gap(const CtaScheduler::Dispatched& grid, const Rates& rates, double measured,
                std::int64_t waves);
  void warm(const CtaScheduler::Dispatched& grid, std::int64_t first);

  const std::vector<std::unique_ptr<sm::Sm>>& sms_;
  memory::MemorySystem& memory_;
  CtaScheduler& scheduler_;
  GapLog& log_;
  const std::function<bool()> keep_going_;
  const sm::Kernel* kernel_ = nullptr;
  bool has_equal_ctas_ = false;
  std::int64_t next_mark_ = 0;  ///< CTAs that have ended
  std::int64_t stride_ = 1;     ///< waves between two marks
  std::vector<Mark> marks_;     ///< the first behind a wave in which the machine settles
  std::optional<Gap> gap_;
};

}  // namespace tcsim::gpu
