#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/isa/opcode.hpp"
#include "models/sm/constant_cache.hpp"
#include "models/sm/group_tensor.hpp"
#include "models/sm/issue_policy/issue_policies.hpp"
#include "models/sm/kernel.hpp"
#include "models/sm/observer.hpp"
#include "models/sm/params.hpp"
#include "models/sm/register_cache.hpp"
#include "models/sm/register_ports.hpp"
#include "models/sm/tensor_unit.hpp"
#include "models/sm/warp.hpp"
#include "models/stats/stats.hpp"

namespace tcsim::sm {

/// Multiply-adds that an MMA executes: if A is sparse (2:4), half of those in its shape.
std::int64_t executed_macs(isa::Opcode opcode);

struct SubCoreCounters {
  explicit SubCoreCounters(stats::Group& group);

  std::array<stats::Counter, kCycleReasonCount> cycles;  ///< by CycleReason
  stats::Counter warp_instructions;
  stats::Counter mma_instructions;
  stats::Counter tensor_busy_cycles;
  stats::Counter tensor_issue_slots_used;
  stats::Counter fma_slots_used;
  stats::Counter fp64_slots_used;
  stats::Counter half_slots_used;
  stats::Counter tensor_macs;
};

/// Issue stage, register ports and execution pipes of one sub-core: one instruction per cycle, in
/// order within a warp.
class SubCore {
 public:
  /// The owner reads in `next_attempt` when to ask again; it outlives the sub-core.
  SubCore(const SmParams& params, int index, Cycle& next_attempt, stats::Group& parent);

  /// From now on `unit`, which must outlive the sub-core, decides when an MMA may issue.
  void attach(TensorUnit& unit) { tensor_unit_ = &unit; }
  /// From now on `observer`, which must outlive the sub-core, is told of every issue.
  void attach(Observer& observer) { observer_ = &observer; }
  /// From now on constants come from `cache`, which must outlive the sub-core.
  void attach(ConstantCache& cache) { constants_ = &cache; }

  /// From now on arithmetic is slowed down, and MMAs wait, while products of `products`, which must
  /// outlive the sub-core, run.
  void attach(const GroupTensor& products) { products_ = &products; }

  /// `warp` starts at `now`. If the sub-core had no other warp, the cycles before had none.
  void add_warp(Warp& warp, Cycle now);
  void remove_warp(const Warp& warp);

  /// The warp that may issue at `now` under the policy, or nullptr. After nullptr `next_attempt`
  /// holds the earliest cycle to ask again, unless `wake` is called earlier. The memory queue has
  /// room from `memory_room_at` on; if that is kNever, the caller wakes the sub-core when it knows
  /// more. Does not issue.
  Warp* select(Cycle now, Cycle memory_room_at);
  /// Takes pipe, ports and issue slot for the next instruction of `warp`, and charges the cycles
  /// since the last issue. Requires select(now) == &warp. The caller executes the instruction's
  /// effect and advances the warp, which wakes the sub-core again.
  void issue(Warp& warp, Cycle now);

  /// A product occupies the tensor cores until `until`.
  void block_tensor(Cycle until) {
    pipe_free_[static_cast<std::size_t>(isa::Pipe::kTensor)] = until;
  }
  /// Another sub-core occupies the FP64 pipe, which all share, for `cycles` from `now` on.
  void block_fp64(Cycle now, int cycles) {
    pipe_free_[static_cast<std::size_t>(isa::Pipe::kFp64)] = now + cycles;
    counters_.fp64_slots_used.add(static_cast<std::uint64_t>(cycles));
  }

  /// When the tensor pipe is free of the MMAs that have issued.
  [[nodiscard]] Cycle tensor_free_at() const {
    return pipe_free_[static_cast<std::size_t>(isa::Pipe::kTensor)];
  }
  /// The part of `warp` of product `opcode` of its warpgroup starts at `start`. Returns the first
  /// cycle in which this sub-core can execute another part, if a unit is attached to tell;
  /// otherwise `start`.
  Cycle execute_part(const Warp& warp, isa::Opcode opcode, Cycle start);
  /// This sub-core does `macs` of a warpgroup product, the part of one warp.
  void count_part(std::int64_t macs);
  /// The tensor cores work on a warpgroup product from `start` to `end`.
  void count_turn(Cycle start, Cycle end);

  void wake(Cycle now) { next_attempt_ = std::min(next_attempt_, now); }

  /// A kernel launched at `launch` starts its warps at `first_cta` at the earliest; the cycles in
  /// between are charged to the launch.
  void begin_kernel(Cycle launch, Cycle first_cta);
  /// The SM's last CTA of a kernel ended at `ended` and its last write at `done`. Requires that no
  /// warp is resident.
  void drain(Cycle ended, Cycle done);
  /// Charges the cycles up to `until` that no issue has accounted for.
  void charge(Cycle until, CycleReason reason);
  /// Charges the cycles before `end`, at which the run ends, to what its warps wait for.
  void charge_rest(Cycle end);

  SubCoreCounters& counters() { return counters_; }

 private:
  bool can_issue(Warp& warp, Cycle now, Cycle memory_room_at);
  bool has_constant(Warp& warp, Cycle now);
  /// The earliest cycle at which stalls, counters, barriers and the pipe let `warp` issue.
  [[gnu::always_inline]] Cycle earliest(const Warp& warp) const {
    if (warp.ready == kNever) return kNever;
    return std::max(warp.ready, pipe_free_[static_cast<std::size_t>(warp.next().pipe)]);
  }
  void issue_mma(Warp& warp, Cycle now);
  void count_tensor_busy(Cycle start, Cycle end);
  Cycle next_attempt_of_others(const Warp& issuing, Cycle now) const;
  /// The issue interval of `next`, including the slowdown by warpgroup products that run meanwhile.
  Cycle interval_of(const DecodedInstruction& next, Cycle now) {
    const int percent = slowdown_percent_[static_cast<std::size_t>(next.pipe)];
    if (percent == 0 || !products_->is_busy(now)) [[likely]]
      return next.issue_interval;
    return slowed_interval(next, percent);
  }
  Cycle slowed_interval(const DecodedInstruction& next, int percent);
  void charge_wait(const Warp& warp, Cycle now);
  Cycle tensor_wanted_from(Cycle until) const;
  CycleReason binding_reason(const Warp& warp, Cycle now) const;
  IssueWait wait_of(const Warp& warp, Cycle now) const;
  /// Read-port slots per bank for the next instruction of `warp`.
  std::array<std::uint8_t, kMaxRegisterBanks> reads_of(const Warp& warp) const {
    const DecodedInstruction& next = warp.next();
    return register_cache_.is_empty() ? next.bank_reads : register_cache_.reads(next, warp.slot);
  }

  Cycle& next_attempt_;
  stats::Group group_;
  SubCoreCounters counters_;
  IssuePolicies policy_;
  const int index_;
  const int same_warp_extra_;
  const int constant_hold_;
  RegisterPorts ports_;
  TensorUnit* tensor_unit_ = nullptr;
  Observer* observer_ = nullptr;
  ConstantCache* constants_ = nullptr;  ///< null: constants are always present
  const GroupTensor* products_ = nullptr;
  RegisterCache register_cache_;
  WarpsByAge warps_;
  std::array<Cycle, isa::kPipeCount> pipe_free_{};
  std::array<int, isa::kPipeCount> slowdown_percent_{};  ///< while a warpgroup product runs
  std::array<Cycle, isa::kPipeCount> slowdown_rest_{};   ///< hundredths of a cycle, still to wait
  Cycle port_wait_until_ = 0;     ///< one past the last cycle in which ports refused
  Cycle memory_queue_freed_ = 0;  ///< end of the last period in which the memory queue refused
  Cycle held_until_ = 0;          ///< end of the scheduler's wait for a constant
  Cycle charged_until_ = 0;
  Cycle launch_until_ = kNever;  ///< end of the launch in progress; unknown before the first
  Cycle tensor_busy_until_ = 0;  ///< end of the cycles that count_tensor_busy has counted
};

}  // namespace tcsim::sm
