#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/memory/line_request.hpp"
#include "models/sm/constant_cache.hpp"
#include "models/sm/instruction_fetch.hpp"
#include "models/sm/kernel.hpp"
#include "models/sm/memory_pipeline.hpp"
#include "models/sm/observer.hpp"
#include "models/sm/params.hpp"
#include "models/sm/scoreboard.hpp"
#include "models/sm/sub_core.hpp"
#include "models/sm/wait.hpp"
#include "models/sm/warp.hpp"
#include "models/stats/stats.hpp"

namespace tcsim::sm {

/// One streaming multiprocessor. Its owner starts CTAs, hands in data from the memory side and
/// takes requests out; in between, `run` carries it from event to event, so that cycles in which
/// nothing can happen cost nothing.
class Sm {
 public:
  Sm(const SmParams& params, int index, stats::Group& parent);

  int sub_cores() const { return static_cast<int>(sub_cores_.size()); }
  /// From now on `unit`, which must outlive the SM, decides when a sub-core may issue an MMA.
  void attach(int sub_core, TensorUnit& unit) {
    sub_cores_[static_cast<std::size_t>(sub_core)]->attach(unit);
  }
  /// From now on `observer`, which must outlive the SM, sees what it does. Requires is_idle().
  void attach(Observer& observer);

  /// Makes room for `cta_slots` CTAs of `kernel`, launched at `launch`; warps start `first_cta` at
  /// the earliest. The L1 starts empty with `l1_bytes`. Requires is_idle().
  void begin_kernel(const Kernel& kernel, int cta_slots, std::int64_t l1_bytes, Cycle launch,
                    Cycle first_cta);
  /// Puts line `line` of code memory into the instruction L1, if there is one.
  void install_code(std::uint32_t line) {
    if (!fetch_.is_perfect()) fetch_.install(line);
  }
  /// Line `line` of code memory, of constants, was written anew: what is held of it is stale.
  void drop_constants(std::uint32_t line) {
    if (constants_.is_perfect()) return;
    constants_.drop(line);
    fetch_.drop(line);
  }
  /// Starts the CTA at grid position `cta`; its warps may issue from `at` on. Requires a free slot,
  /// at >= the last run, and no CTA before with a later start.
  void start_cta(const std::array<std::int64_t, 3>& cta, Cycle at);
  int free_cta_slots() const { return static_cast<int>(free_cta_slots_.size()); }

  /// Data of reads, to be consumed by the following `run`s; in order of cycle, none before the last
  /// `run`'s end.
  std::vector<memory::LineResponse>& inbox() { return inbox_; }
  /// Advances to `until` (exclusive).
  void run(Cycle until);

  /// Requests for data made so far in order of their cycle; the owner takes a prefix.
  std::vector<memory::LineRequest>& requests() { return pipeline_.requests(); }
  /// The same for code.
  std::vector<memory::LineRequest>& code_requests() { return code_requests_; }
  bool has_requests() const { return pipeline_.has_requests() || !code_requests_.empty(); }
  /// Cycles at which CTAs ended since the owner last cleared it.
  std::vector<Cycle>& ended_ctas() { return ended_ctas_; }

  /// Charges what is left of the cycles before `end` to having no warp.
  void charge_idle(Cycle end);

  bool is_idle() const {
    return resident_warps_ == 0 && pending_ctas_.empty() && pipeline_.is_idle() && events_.empty();
  }
  /// The cycle in which it became so. Requires is_idle().
  Cycle idle_since() const { return idle_since_; }
  int resident_warps() const { return resident_warps_; }
  /// The cycle of the last answer to a store.
  Cycle last_store_done() const { return pipeline_.last_store_done(); }
  std::uint64_t warp_instructions() const;
  std::uint64_t mma_instructions() const;

  /// The cycle at which `run` has something to do next; kNever if only its owner can change that.
  Cycle next_event() const;
  /// True if a store or an atomic of some warp has not been answered, however far it has come.
  bool has_writes_under_way() const { return pipeline_.has_writes_under_way(); }
  /// True if a CTA has been handed over that has not started.
  bool has_pending_ctas() const { return !pending_ctas_.empty(); }
  /// What the resident warps wait for, the oldest first.
  std::vector<WarpWait> waits() const;
  /// The kernel begun last, or null.
  const Kernel* kernel() const { return kernel_; }

 private:
  struct Cta {
    std::vector<int> warps;
    int warps_left = 0;
    int at_barrier = 0;
  };
  struct PendingCta {
    std::array<std::int64_t, 3> position;
    Cycle at;
    int slot;
  };
  struct Later {
    bool operator()(const MemoryEvent& a, const MemoryEvent& b) const {
      return a.at != b.at ? a.at > b.at : a.order > b.order;
    }
  };

  Cycle next_event(std::size_t received) const;
  void place_cta(const PendingCta& cta);
  void note_idle(Cycle now);
  void start(Warp& warp, Cycle now);
  void fetch(Warp& warp, Cycle now, bool from_start);
  void receive(const memory::LineResponse& response, Cycle now);
  void code_arrived(std::uint32_t line, Cycle now);
  bool has_writes_under_way(const Warp& warp) const;
  void settle_fences(Cycle now);
  void send_code_requests();
  std::size_t lowest_free_slot() const;
  void carry_out(SubCore& sub_core, int index, Warp& warp, Cycle now);
  void pass_fence(Warp& warp, const DecodedInstruction& fence, Cycle now);
  void move_on(Warp& warp, const DecodedInstruction& issued, Cycle now);
  void branch(Warp& warp, const DecodedInstruction& instruction);
  void skip(Warp& warp, const DecodedInstruction& instruction);
  void arrive_at_barrier(Warp& warp, Cycle now);
  void release_barrier_if_complete(Cta& cta, Cycle now);
  void exit(SubCore& sub_core, Warp& warp, Cycle now);
  void retire_if_done(Warp& warp, Cycle now);
  void apply(const MemoryEvent& event, Cycle now);
  void note_on_scoreboard(const MemoryEvent& event, Cycle now);
  bool settle_dependences(Warp& warp);
  void settle(Warp& warp, Cycle now, CycleReason reason);
  void collect_events();
  SubCore& sub_core_of(const Warp& warp) { return *sub_cores_[warp.sub_core]; }

  const SmParams params_;
  const int index_;
  const bool fp64_is_shared_;
  stats::Group group_;
  static constexpr int kMaxSubCores = 8;
  std::array<Cycle, kMaxSubCores> next_attempts_;  ///< per sub-core: when it may issue next
  std::vector<std::unique_ptr<SubCore>> sub_cores_;
  InstructionFetch fetch_;
  ConstantCache constants_;
  MemoryPipeline pipeline_;
  const Kernel* kernel_ = nullptr;
  std::vector<Warp> warps_;              ///< by hardware warp id
  std::vector<Scoreboard> scoreboards_;  ///< the same; empty where control bits decide
  std::vector<Cta> ctas_;
  std::vector<int> free_cta_slots_;      ///< the last one is used next
  std::deque<PendingCta> pending_ctas_;  ///< in order of their start
  Cycle barrier_free_ = 0;               ///< the barrier unit is done with the arrivals so far
  std::uint64_t warps_started_ = 0;
  int resident_warps_ = 0;
  bool was_idle_ = true;  ///< behind the latest cycle without warps
  Cycle idle_since_ = 0;
  std::priority_queue<MemoryEvent, std::vector<MemoryEvent>, Later> events_;
  std::uint64_t event_order_ = 0;
  std::vector<memory::LineResponse> inbox_;
  std::vector<memory::LineRequest> code_requests_;
  std::vector<Warp*> fences_;        ///< warps that wait at one
  std::vector<Warp*> code_waiters_;  ///< until the next line of code arrives
  std::vector<Cycle> ended_ctas_;
  Observer* observer_ = nullptr;
};

}  // namespace tcsim::sm
