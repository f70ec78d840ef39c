#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "models/memory/memory_system.hpp"
#include "models/sm/grid_jump.hpp"
#include "models/sm/sm.hpp"
#include "sim/gpu/cta_scheduler.hpp"
#include "sim/gpu/gap_log.hpp"
#include "sim/gpu/sampling.hpp"
#include "sim/gpu/warming.hpp"

namespace tcsim::gpu {

/// Skips CTAs of a grid whose work recurs from wave to wave. When their rate is stationary over
/// waves, the resident CTAs are replaced by those a number of whole waves later, which continue
/// from the same position. The L2 is updated with the accesses of the last skipped waves, as many
/// as refill it, and of the CTAs that are resident then. The first wave and the last ones are
/// always simulated.
class GridSampler {
 public:
  /// All references must outlive the sampler. `keep_going` may abort the making of a gap: look()
  /// then throws WarmingStopped and nothing is skipped. DRAM moves at most `dram_bytes_per_cycle`.
  GridSampler(const std::vector<std::unique_ptr<sm::Sm>>& sms, memory::MemorySystem& memory,
              CtaScheduler& scheduler, const CounterSet& counters, GapLog& log,
              double dram_bytes_per_cycle, std::function<bool()> keep_going)
      : sms_(sms),
        memory_(memory),
        scheduler_(scheduler),
        counters_(counters),
        log_(log),
        dram_bytes_per_cycle_(dram_bytes_per_cycle),
        keep_going_(std::move(keep_going)) {}

  /// Examines a machine that has run up to `simulated`; may make or close a gap. True if it did:
  /// measurements of others must then restart.
  bool look(Cycle simulated);
  /// The time of a gap whose rates behind it are being measured, at the rate before it.
  [[nodiscard]] double open_cycles() const { return gap_ ? gap_->cycles() : 0; }
  /// The run is over.
  void finish(Cycle simulated);

 private:
  struct WaveMark {
    Mark mark;
    std::uint64_t dirty_bytes = 0;  ///< in the L2
  };

  [[nodiscard]] bool fills_l2(const WaveMark& from, const WaveMark& to) const;
  [[nodiscard]] double drift_of(const Mark& from, const Mark& to) const;
  bool mark(Cycle simulated, const CtaScheduler::Dispatched& grid);
  void begin_anew();
  bool make_gap(const CtaScheduler::Dispatched& grid, const Rates& rates, double drift,
                double measured, std::int64_t waves);
  void warm(const CtaScheduler::Dispatched& grid, std::int64_t ctas);
  void warm_wave(const CtaScheduler::Dispatched& grid, std::int64_t first, L2Warming& warming);

  const std::vector<std::unique_ptr<sm::Sm>>& sms_;
  memory::MemorySystem& memory_;
  CtaScheduler& scheduler_;
  const CounterSet& counters_;
  GapLog& log_;
  const double dram_bytes_per_cycle_;
  const std::function<bool()> keep_going_;
  const sm::Kernel* kernel_ = nullptr;
  sm::Waves waves_;
  std::int64_t next_mark_ = 0;   ///< in ended CTAs
  std::int64_t stride_ = 1;      ///< waves between two marks
  std::vector<WaveMark> marks_;  ///< the first one is after a wave in which the machine settles
  std::optional<Gap> gap_;
};

}  // namespace tcsim::gpu
