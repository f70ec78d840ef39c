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

/// Multiply-adds that an MMA carries out: where A is sparse (2:4), every other one of its shape.
std::int64_t executed_macs(isa::Opcode opcode);

struct SubCoreCounters {
  explicit SubCoreCounters(stats::Group& group);

  std::array<stats::Counter, kCycleReasonCount> cycles;  ///< by CycleReason
  stats::Counter warp_instructions;
  stats::Counter mma_instructions;
  stats::Counter tensor_busy_cycles;
  stats::Counter tensor_issue_slots_used;
  stats::Counter tensor_macs;
};

/// Issue stage, register ports and execution pipes of one sub-core: one instruction per cycle, in
/// order within a warp.
class SubCore {
 public:
  /// `next_attempt` is where the owner reads when to ask again; it outlives the sub-core.
  SubCore(const SmParams& params, int index, Cycle& next_attempt, stats::Group& parent);

  /// From now on `unit`, which must outlive the sub-core, decides when an MMA may issue.
  void attach(TensorUnit& unit) { tensor_unit_ = &unit; }
  /// From now on `observer`, which must outlive the sub-core, is told of every issue.
  void attach(Observer& observer) { observer_ = &observer; }
  /// From now on constants come from `cache`, which must outlive the sub-core.
  void attach(ConstantCache& cache) { constants_ = &cache; }

  /// From now on arithmetic is slowed down beside the products of `products`, which must outlive
  /// the sub-core.
  void attach(const GroupTensor& products) { products_ = &products; }

  /// `warp` starts at `now`: without another one, the cycles before had none.
  void add_warp(Warp& warp, Cycle now);
  void remove_warp(const Warp& warp);

  /// The warp that may issue at `now` under the policy, or nullptr; then `next_attempt` says when
  /// to ask again at the earliest, unless `wake` is called before. The memory queue has room from
  /// `memory_room_at` on; if that is kNever, the caller wakes the sub-core when it knows more. Does
  /// not issue.
  Warp* select(Cycle now, Cycle memory_room_at);
  /// Takes pipe, ports and the issue slot for the next instruction of `warp`, and charges the
  /// cycles since the last issue. Requires select(now) == &warp. The caller carries out the
  /// instruction's effect and moves the warp on, which wakes the sub-core again.
  void issue(Warp& warp, Cycle now);

  /// Another sub-core took the unit behind `pipe` until `until`.
  void block_pipe(isa::Pipe pipe, Cycle until) {
    pipe_free_[static_cast<std::size_t>(pipe)] = until;
  }

  /// The cycles in which this sub-core carries out its part of a product of the warpgroup of
  /// `warp`, `opcode`, from `start` on, if a unit is there to say so; else 0.
  int array_cycles_of(const Warp& warp, isa::Opcode opcode, Cycle start);
  /// The tensor cores work on a product of a warpgroup from `start` to `end`, this sub-core on
  /// `macs` of it.
  void count_product(Cycle start, Cycle end, std::int64_t macs);

  void wake(Cycle now) { next_attempt_ = std::min(next_attempt_, now); }

  /// A kernel launched at `launch` starts its warps at `first_cta` at the earliest: cycles between
  /// are the launch's.
  void begin_kernel(Cycle launch, Cycle first_cta);
  /// Charges the cycles up to `until` that no issue has claimed.
  void charge(Cycle until, CycleReason reason);
  /// Charges the cycles before `end`, at which the run ends, to what its warps wait for.
  void charge_rest(Cycle end);

  SubCoreCounters& counters() { return counters_; }

 private:
  bool can_issue(Warp& warp, Cycle now, Cycle memory_room_at);
  bool has_constant(Warp& warp, Cycle now);
  /// When stalls, counters, barriers and the pipe let `warp` issue.
  [[gnu::always_inline]] Cycle earliest(const Warp& warp) const {
    if (warp.ready == kNever) return kNever;
    return std::max(warp.ready, pipe_free_[static_cast<std::size_t>(warp.next().pipe)]);
  }
  void issue_mma(Warp& warp, Cycle now);
  Cycle next_attempt_of_others(const Warp& issuing, Cycle now) const;
  /// The issue interval of `next` and what products of warpgroups take of the sub-core meanwhile.
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
  ConstantCache* constants_ = nullptr;  ///< null: constants are always there
  const GroupTensor* products_ = nullptr;
  RegisterCache register_cache_;
  WarpsByAge warps_;
  std::array<Cycle, isa::kPipeCount> pipe_free_{};
  std::array<int, isa::kPipeCount> slowdown_percent_{};  ///< while a product of a warpgroup runs
  std::array<Cycle, isa::kPipeCount> slowdown_rest_{};   ///< hundredths of a cycle not yet waited
  Cycle port_wait_until_ = 0;     ///< the last cycle, plus one, in which ports refused
  Cycle memory_queue_freed_ = 0;  ///< end of the last time in which the memory queue refused
  Cycle held_until_ = 0;          ///< the scheduler waits for a constant
  Cycle charged_until_ = 0;
  Cycle launch_until_ = 0;  ///< the launch under way ends here
  Cycle tensor_busy_until_ = 0;
};

}  // namespace tcsim::sm
