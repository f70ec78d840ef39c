#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/memory/line_request.hpp"
#include "models/sm/constant_cache.hpp"
#include "models/sm/kernel.hpp"
#include "models/sm/l1_cache.hpp"
#include "models/sm/observer.hpp"
#include "models/sm/params.hpp"
#include "models/sm/warp.hpp"
#include "models/stats/stats.hpp"

namespace tcsim::sm {

/// Something the memory pipeline did for a warp, to be applied at `at`.
struct MemoryEvent {
  enum class Kind : std::uint8_t { kSourcesRead, kLoaded, kCopied };

  Cycle at = 0;
  std::uint64_t order = 0;  ///< ties in time go by the order of creation
  Warp* warp = nullptr;
  const DecodedInstruction* instruction = nullptr;
  Kind kind = Kind::kLoaded;
  std::uint8_t counter = 0;  ///< the dependence counter that counts down
  std::int32_t group = 0;    ///< kCopied: the copy group
  CycleReason reason = CycleReason::kDependenceGlobal;
};

struct MemoryCounters {
  explicit MemoryCounters(stats::Group& group);

  stats::Counter shared_wavefronts;
  stats::Counter shared_conflict_wavefronts;
  stats::Counter shared_fill_bytes;
  stats::Counter l1_hits;
  stats::Counter l1_misses;
  stats::Counter l1_bypassed;
  stats::Counter shared_atomic_lanes;
  stats::Counter global_write_bytes;
  stats::Counter pipeline_busy_cycles;
};

/// Queues and address units of the sub-cores, and the SM's one pipeline behind them: shared memory,
/// L1, and the way out to the network. One instruction enters the pipeline at a time, sub-cores
/// taking turns; its wavefronts hold the data path of L1Params::bytes_per_cycle.
class MemoryPipeline {
 public:
  /// `constants` outlives the pipeline.
  MemoryPipeline(const SmParams& params, int sm, ConstantCache& constants, stats::Group& parent);

  /// Prepares for a kernel that leaves `l1_bytes` of the unified memory to the data cache. Requires
  /// no work under way.
  void begin_kernel(const Kernel& kernel, std::int64_t l1_bytes);

  /// The cycle from which on the queue of `sub_core` has room for one more, possibly long past;
  /// kNever while that depends on when the pipeline takes the next one.
  Cycle room_at(int sub_core) const;
  /// From now on `observer`, which must outlive the pipeline, sees memory instructions go through.
  void attach(Observer& observer) { observer_ = &observer; }

  /// Queues the next instruction of `warp`, which issues at `now` with `lanes` active. Requires
  /// lanes != 0 and room.
  void accept(Warp& warp, int sub_core, std::uint32_t lanes, Cycle now);

  /// The next cycle at which `step` can do something.
  Cycle next_step() const { return next_step_; }
  /// Lets at most one instruction into the pipeline. Returns the sub-core whose room_at() is no
  /// longer kNever, or -1.
  int step(Cycle now);
  /// Takes data from the memory side. Requires response.cycle == now.
  void receive(const memory::LineResponse& response, Cycle now);

  /// Looks again after the constants that LDCs wait for, some having come at `now`.
  void constants_arrived(Cycle now);

  /// Lines that stores and atomics of hardware warp `slot` write and that are not answered, those
  /// of the warp that had the place before included.
  int writes_under_way(int slot) const { return warp_writes_[static_cast<std::size_t>(slot)]; }

  /// True if any warp has some.
  bool has_writes_under_way() const {
    return std::ranges::any_of(warp_writes_, [](int lines) { return lines != 0; });
  }

  /// Requests that have left since the owner last cleared it, in order of their cycle.
  std::vector<memory::LineRequest>& requests() { return requests_; }
  bool has_requests() const { return !requests_.empty(); }
  /// Events made since the owner last cleared it.
  std::vector<MemoryEvent>& events() { return events_; }

  /// The cycle of the last answer to a store.
  Cycle last_store_done() const { return last_store_done_; }

  bool is_idle() const { return operations_busy_ == 0 && stores_under_way_ == 0; }

 private:
  /// One instruction from issue to completion.
  struct Operation {
    Warp* warp = nullptr;
    const DecodedInstruction* instruction = nullptr;
    int sub_core = 0;
    Cycle issued = 0;
    int wavefronts = 0;  ///< of shared memory or L1
    int minimum_wavefronts = 0;
    int lanes = 0;
    int bytes = 0;                        ///< moved by the active lanes
    bool flags = false;                   ///< of a flag buffer
    std::vector<LineSectors> lines;       ///< of global memory
    std::vector<std::int64_t> constants;  ///< LDC: bytes of the words that its lanes want
    int lines_left = 0;                   ///< not here yet
    std::int32_t copy_group = 0;
    int next_free = -1;
  };
  /// Operations of one sub-core that wait for the pipeline, in order; the head is in the address
  /// unit.
  struct Queue {
    /// Room for `capacity` operations, those that still hold their entries included.
    explicit Queue(int capacity)
        : mask(std::bit_ceil(static_cast<unsigned>(capacity)) - 1),
          operations(mask + 1),
          releases(mask + 1) {}

    unsigned mask;  ///< of the rings' places, a power of two of them
    std::vector<int> operations;
    std::vector<Cycle>
        releases;       ///< when those that left have read their sources: entries are free
    unsigned head = 0;  ///< grows for ever
    int size = 0;
    Cycle head_ready = kNever;  ///< the address unit is done with the head; kNever: empty
    Cycle last_ready = 0;
    Cycle last_accept = 0;

    int front() const { return operations[head & mask]; }
    void push(int operation) {
      operations[(head + static_cast<unsigned>(size++)) & mask] = operation;
    }
    void pop(Cycle release) {
      releases[head++ & mask] = release;
      --size;
    }
    /// Release time of the entry that left as the `back`-th last one (0: the last).
    Cycle release(int back) const {
      return releases[(head - 1 - static_cast<unsigned>(back)) & mask];
    }
  };

  int new_operation();
  void free_operation(int number);
  void set_head_ready(Queue& queue) const;
  bool has_miss_entries(const Operation& operation) const;
  bool can_enter(const Operation& operation, Cycle now) const;
  void enter(int number, Cycle now);
  void enter_shared(const Operation& operation, Cycle now);
  void enter_load(int number, Cycle now);
  void enter_copy(int number, Cycle now);
  void enter_store(int number, Cycle now);
  void enter_constant_load(int number, Cycle now);
  bool finish_constant_load(int number, Cycle now);
  void write_answered(std::uint32_t slot) { --warp_writes_[slot]; }
  void set_constants(Operation& operation, const isa::Swizzle& swizzle, std::int64_t base,
                     const LaneValues& offsets, std::uint32_t lanes);
  bool look_up(int number, const LineSectors& line, Cycle at);
  void read_past_cache(int number, const LineSectors& line, Cycle at);
  Cycle leaves_at(Cycle at) const;
  memory::LineRequest& send(const LineSectors& line, memory::LineAccess access, std::uint32_t tag,
                            Cycle at);
  void occupy(int bytes, Cycle now);
  void finish_load(const Operation& operation, Cycle data_at, CycleReason reason);
  void line_arrived(int number, int bytes, Cycle now);
  void update_next_step();
  void add_event(MemoryEvent event);

  const SmParams params_;
  const int sm_;
  const int queue_capacity_;
  const int lookup_bits_;    ///< log2 of the aligned bytes looked up in one cycle, rounded down
  const Cycle source_read_;  ///< from the pipeline's entry to the sources read
  stats::Group group_;
  MemoryCounters counters_;
  ConstantCache& constants_;
  const Kernel* kernel_ = nullptr;
  Observer* observer_ = nullptr;
  L1Cache l1_;
  std::vector<Queue> queues_;
  std::vector<Cycle> return_free_;  ///< per sub-core: load write-back path
  std::size_t turn_ = 0;            ///< sub-core that is asked first
  Cycle pipe_free_ = 0;             ///< data path
  Cycle tag_free_ = 0;              ///< L1 tag stage
  int fill_bytes_ = 0;              ///< arrived for shared memory, not yet a whole wavefront
  int lines_under_way_ = 0;
  int stores_under_way_ = 0;           ///< lines written and not answered
  std::vector<int> warp_writes_;       ///< by hardware warp: lines that it writes, atomics included
  std::vector<int> constant_waiters_;  ///< LDCs
  Cycle last_store_done_ = 0;
  Cycle next_step_ = kNever;
  std::uint64_t order_ = 0;

  std::vector<Operation> operations_;
  int free_operation_ = -1;
  int operations_busy_ = 0;
  std::vector<memory::LineRequest> requests_;
  std::vector<MemoryEvent> events_;
};

}  // namespace tcsim::sm
