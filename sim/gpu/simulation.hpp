#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/isa/launch.hpp"
#include "models/memory/cached_line.hpp"
#include "models/memory/observer.hpp"
#include "models/sm/observer.hpp"
#include "models/sm/tensor_unit.hpp"
#include "models/stats/stats.hpp"
#include "sim/config/machine.hpp"
#include "sim/gpu/activity.hpp"
#include "sim/gpu/l2_content.hpp"
#include "sim/gpu/sampling.hpp"

namespace tcsim::gpu {

struct SimulationOptions {
  Cycle quantum =
      0;  ///< SM cycles between two exchanges with the memory side; 0: the largest legal one
  /// The most host threads that share the SMs; results do not depend on it.
  int threads = 1;
  Cycle max_cycles = 0;         ///< stop after this many SM cycles of the run; 0: no limit
  bool cold_code = false;       ///< neither SMs nor L2 hold code initially: it comes from DRAM
  std::vector<L2Content> l2{};  ///< initial contents of the L2, the latest use last
  /// The unit that takes the MMAs of a sub-core, and outlives the simulation; empty: intervals of
  /// the machine file apply.
  std::function<sm::TensorUnit&(int sm, int sub_core)> tensor_unit{};
  /// If set: iterations of loops and waves are skipped where that is safe, and Outcome::sampling
  /// states how much.
  std::optional<SamplingOptions> sampling{};
  /// The observer of SM `sm`, which outlives the simulation, or nullptr; called when counting
  /// starts, at cycle `origin` of the SMs' clock. Empty: none.
  std::function<sm::Observer*(int sm, Cycle origin)> observer{};
  /// With an `observer`: the observer of reads on their way, attached when that one is requested;
  /// outlives the simulation. Null: none.
  memory::Observer* memory_observer = nullptr;
};

/// What the observer of a run sees, at least once per quantum. Nothing in it depends on the host.
struct Progress {
  Cycle now = 0;
  std::int64_t ctas_done = 0;
  std::int64_t ctas_total = 0;
  std::uint64_t warp_instructions = 0;
  std::uint64_t expected_instructions = 0;  ///< of the run; 0: unknown
};

enum class StopReason : std::uint8_t {
  kFinished,
  kInterrupted,
  kCycleLimit,
  kDeadlock,
  kUnsure,  ///< sampling has given up; the run has to be repeated without
};

/// How the CTAs of a kernel were distributed over the SMs, and when the SMs ran out of them.
struct CtaSpread {
  std::int64_t fewest = 0;  ///< fewest CTAs that an SM ran
  std::int64_t most = 0;
  Cycle first_done = 0;   ///< on the run's clock: from here on some SM had none left
  Cycle idle_cycles = 0;  ///< SM cycles without a CTA from there to the kernel's end, over all SMs
  std::vector<Cycle> done;  ///< when each SM that has returned had none left
};

/// One kernel of the stream, in SM cycles from the start of the run. `start` is the launch, `end`
/// the last CTA's end or, if that is later, the last answer to its accesses of global memory.
struct KernelSpan {
  std::string name;
  Cycle start = 0;
  Cycle end = 0;
  std::int64_t ctas = 0;
  int ctas_per_sm = 0;          ///< occupancy
  std::string occupancy_limit;  ///< registers, shared memory, warps, CTAs
  int cluster_size = 1;
  std::int64_t ctas_at_once = 0;  ///< that the machine holds, in whole clusters
  std::uint64_t warp_instructions = 0;
  std::uint64_t mma_instructions = 0;
  ActivityTotals activity{};  ///< of this kernel alone; 0 until it has ended, or with streams
  int stream = 0;
  CtaSpread spread{};  ///< over the SMs that it had; all 0 until it has ended
  int last_sm = 0;     ///< the SM on which it ended; if there are several, the first

  /// The share of its time in which not every SM had one of its CTAs (left); 0 until it has ended.
  [[nodiscard]] double tail_share() const;
  /// The share of the time of `sms` SMs that they spent without a CTA in that tail.
  [[nodiscard]] double idle_share(int sms) const;
};

struct Outcome {
  StopReason stop = StopReason::kFinished;
  /// From the first launch to the end of the last CTA and its last access, including launch
  /// overhead.
  Cycle cycles = 0;
  std::vector<KernelSpan> kernels;       ///< in launch order
  std::string diagnosis;                 ///< deadlock: who waits for what; empty otherwise
  std::vector<ActivitySample> activity;  ///< over time; the last one is the end of the run
  Sampling sampling{};                   ///< all 0 where everything was simulated
};

/// A whole GPU: SystemC shells around the models in models/sm, models/memory and models/dram. One
/// instance at a time per process (SystemC keeps one simulation context).
class Simulation {
 public:
  Simulation(const config::Machine& machine, const SimulationOptions& options);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Runs `launches` back to back in one stream; once per Simulation. The launches in `before` run
  /// first, without counting, and leave their lines in the L2; a stop there ends everything.
  /// `keep_going` is asked at least once per quantum and stops the run by returning false. Requires
  /// launches that isa::validate accepts, assembled for this machine.
  Outcome run(const std::vector<isa::KernelLaunch>& launches,
              const std::function<bool(const Progress&)>& keep_going,
              const std::vector<isa::KernelLaunch>& before = {});

  /// The same for several streams that share the machine from cycle 0 on.
  Outcome run_streams(const std::vector<std::vector<isa::KernelLaunch>>& streams,
                      const std::function<bool(const Progress&)>& keep_going);

  /// Sets what the L2 holds before the run, least recently used line first (memory::CachedLine);
  /// without a call it is empty. Requires a Simulation that has not run.
  void fill_l2(const std::vector<memory::CachedLine>& lines);
  /// After fill_l2: cleans lines until no set of the L2 has more dirty lines than when nothing is
  /// left to clean. Takes no time and counts nothing.
  void clean_l2();
  /// What the L2 holds after fill_l2 or a finished run, in that order, without code.
  std::vector<memory::CachedLine> l2_lines() const;
  /// Its dirty lines, in any order.
  std::vector<memory::CachedLine> dirty_l2_lines() const;

  /// All counters, rooted at "gpu".
  const stats::Group& counters() const;

  /// The largest quantum for which results are exact, in SM cycles.
  Cycle largest_quantum() const;

 private:
  class Shells;
  std::unique_ptr<Shells> shells_;
};

}  // namespace tcsim::gpu
