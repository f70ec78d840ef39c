#include "models/sm/sub_core.hpp"

#include <algorithm>
#include <utility>

#include "models/sm/wait.hpp"

namespace tcsim::sm {
namespace {

struct ReasonRow {
  const char* name;
  const char* sentence;
};

constexpr std::array<ReasonRow, kCycleReasonCount> kReasons{{
    {"cycles_issued", "Cycles in which an instruction issued."},
    {"cycles_dependence_fixed",
     "Cycles without an issue, held back last by a fixed-latency result (stall count)."},
    {"cycles_dependence_shared",
     "Cycles without an issue, held back last by a load from shared memory."},
    {"cycles_dependence_global",
     "Cycles without an issue, held back last by global memory or another counted result."},
    {"cycles_copy_wait",
     "Cycles without an issue, held back last by asynchronous copies into shared memory."},
    {"cycles_tensor_pipe_busy",
     "Cycles without an issue in which the tensor pipe was taken by earlier MMAs and the next "
     "instruction, or another ready warp, needs it; or held back last by products of a "
     "warpgroup."},
    {"cycles_other_pipe_busy",
     "Cycles without an issue in which another pipe was taken that the next instruction needs."},
    {"cycles_register_port", "Cycles without an issue, held back last by register read ports."},
    {"cycles_memory_queue_full", "Cycles without an issue, held back last by a full memory queue."},
    {"cycles_barrier",
     "Cycles without an issue, held back last by a barrier of the CTA or cluster, or by arrivals "
     "at an mbarrier."},
    {"cycles_instruction_fetch", "Cycles without an issue, held back last by instruction fetch."},
    {"cycles_constant",
     "Cycles without an issue, held back last by constants: an operand that the L0 did not hold, "
     "or "
     "LDC."},
    {"cycles_launch", "Cycles between the launch of a kernel and the start of its first CTA."},
    {"cycles_drain",
     "Cycles after an SM's last CTA of a kernel in which its accesses of global memory are still "
     "under way."},
    {"cycles_no_warp", "Cycles without a resident warp, or before the first issue of a new one."},
}};

template <std::size_t... kIndex>
std::array<stats::Counter, kCycleReasonCount> make_cycles(stats::Group& group,
                                                          std::index_sequence<kIndex...>) {
  return {{{group, kReasons[kIndex].name, "cycle", kReasons[kIndex].sentence}...}};
}

}  // namespace

std::int64_t executed_macs(isa::Opcode opcode) {
  return isa::warp_macs(opcode) / (isa::opcode_info(opcode).sparse ? 2 : 1);
}

SubCoreCounters::SubCoreCounters(stats::Group& group)
    : cycles(make_cycles(group, std::make_index_sequence<kCycleReasonCount>{})),
      warp_instructions(group, "warp_instructions", "instruction",
                        "Warp instructions issued, fillers included."),
      mma_instructions(group, "mma_instructions", "instruction",
                       "Tensor-core instructions issued; each step of a V100 HMMA.884 counts."),
      tensor_busy_cycles(group, "tensor_busy_cycles", "cycle",
                         "Cycles in which the tensor pipe holds an MMA."),
      tensor_issue_slots_used(
          group, "tensor_issue_slots_used", "cycle",
          "Issue intervals of the accepted MMAs: cycles for which they hold the tensor pipe."),
      fma_slots_used(group, "fma_slots_used", "cycle",
                     "Issue intervals of the instructions of the FMA pipe (multiply-adds in FP32 "
                     "and of integers): cycles for which they hold it."),
      fp64_slots_used(
          group, "fp64_slots_used", "cycle",
          "Issue intervals of the instructions of the FP64 pipe: cycles for which they hold it. "
          "Where the sub-cores of an SM share one, each counts the instructions of all."),
      half_slots_used(group, "half_slots_used", "cycle",
                      "Issue intervals of the instructions of the pipe of packed FP16: cycles for "
                      "which they hold it."),
      tensor_macs(
          group, "tensor_macs", "MAC",
          "Multiply-adds that the accepted MMAs carry out: padding included, zeros of a 2:4 "
          "sparse A not.") {}

SubCore::SubCore(const SmParams& params, int index, Cycle& next_attempt, stats::Group& parent)
    : next_attempt_(next_attempt),
      group_("sub_core[" + std::to_string(index) + "]", parent),
      counters_(group_),
      policy_(params.issue_policy),
      index_(index),
      same_warp_extra_(params.tensor.same_warp_extra_cycles),
      constant_hold_(params.constant_cache.miss_hold_cycles),
      ports_(params.register_file),
      register_cache_(params.register_file) {
  const auto slow_down = [this](isa::Pipe pipe, int percent) {
    slowdown_percent_[static_cast<std::size_t>(pipe)] = percent;
  };
  slow_down(isa::Pipe::kAlu, params.group_tensor.alu_slowdown_percent);
  slow_down(isa::Pipe::kSfu, params.group_tensor.sfu_slowdown_percent);
}

void SubCore::add_warp(Warp& warp, Cycle now) {
  if (warps_.empty()) charge(now, CycleReason::kNoWarp);
  warps_.push_back(&warp);
  policy_.visit([&warp](auto& policy) { policy.joined(warp); });
  wake(warp.ready);
}

void SubCore::remove_warp(const Warp& warp) {
  warps_.erase(std::find(warps_.begin(), warps_.end(), &warp));
  policy_.visit([&warp](auto& policy) { policy.left(warp); });
}

bool SubCore::can_issue(Warp& warp, Cycle now, Cycle memory_room_at) {
  const DecodedInstruction& next = warp.next();
  if (next.pipe == isa::Pipe::kMemory && memory_room_at > now) {
    if (memory_room_at != kNever) memory_queue_freed_ = memory_room_at;
    next_attempt_ = std::min(next_attempt_, memory_room_at);
    return false;
  }
  if (next.pipe == isa::Pipe::kTensor && products_->free_at() > now) [[unlikely]] {
    block_tensor(products_->free_at());
    next_attempt_ = std::min(next_attempt_, products_->free_at());
    return false;
  }
  if (next.reads_registers && !ports_.can_read(now, reads_of(warp), next.read_window)) {
    port_wait_until_ = now + 1;
    next_attempt_ = std::min(next_attempt_, now + 1);
    return false;
  }
  if (next.reads_constant) [[unlikely]]
    return has_constant(warp, now);
  return true;
}

/// Looks up the constant operand of the next instruction, which could otherwise issue. On a miss
/// the warp waits for it, and at first the scheduler does, too (HUE25).
/// Kept out of can_issue, which every instruction passes.
[[gnu::noinline]] bool SubCore::has_constant(Warp& warp, Cycle now) {
  if (constants_ == nullptr) return true;
  // This holds even if other warps have evicted its line in the meantime: otherwise warps whose
  // constants share a set would evict each other's lines forever.
  if (std::exchange(warp.constant_came, false)) return true;
  const Cycle ready = constants_->operand(index_, warp.next().immediate, now);
  if (ready <= now) return true;
  held_until_ = now + constant_hold_;
  warp.constant_came = true;  // when the warp is ready again
  if (ready == kNever) warp.hold = Hold::kConstant;
  warp.ready = ready;
  warp.ready_reason = CycleReason::kConstant;
  if (ready != kNever) {
    warp.stall_until = ready;
    warp.stall_reason = CycleReason::kConstant;
    next_attempt_ = std::min(next_attempt_, ready);
  }
  return false;
}

Warp* SubCore::select(Cycle now, Cycle memory_room_at) {
  if (now < held_until_) [[unlikely]] {
    next_attempt_ = held_until_;
    return nullptr;
  }
  next_attempt_ = kNever;
  // Inlined wherever a policy asks: most of the time of a cycle without an issue is spent here.
  const auto can_issue_now =
      [ this, now, memory_room_at ](Warp & warp) __attribute__((always_inline)) {
    const Cycle at = earliest(warp);
    if (at > now) {
      if (at < next_attempt_) next_attempt_ = at;
      return false;
    }
    // When another warp's constant is missing, the scheduler is held from then on.
    return now >= held_until_ && can_issue(warp, now, memory_room_at);
  };
  Warp* const picked =
      policy_.visit([&](auto& policy) { return policy.pick(warps_, now, can_issue_now); });
  if (picked == nullptr && now < held_until_) [[unlikely]]
    next_attempt_ = held_until_;
  return picked;
}

CycleReason SubCore::binding_reason(const Warp& warp, Cycle now) const {
  const DecodedInstruction& next = warp.next();
  Cycle latest = warp.ready;
  CycleReason reason = warp.ready_reason;
  const Cycle pipe = pipe_free_[static_cast<std::size_t>(next.pipe)];
  if (pipe > latest) {
    latest = pipe;
    reason = next.pipe == isa::Pipe::kTensor ? CycleReason::kTensorPipeBusy
                                             : CycleReason::kOtherPipeBusy;
  }
  if (held_until_ > latest) {
    latest = held_until_;
    reason = CycleReason::kConstant;
  }
  if (next.pipe == isa::Pipe::kMemory && memory_queue_freed_ > latest) {
    latest = memory_queue_freed_;
    reason = CycleReason::kMemoryQueueFull;
  }
  return port_wait_until_ == now && now > latest ? CycleReason::kRegisterPort : reason;
}

/// The first cycle from which some warp waited only for the tensor pipe with its next MMA, or
/// `until` if there was none before.
Cycle SubCore::tensor_wanted_from(Cycle until) const {
  for (const Warp* const warp : warps_) {
    if (warp->next().pipe != isa::Pipe::kTensor) continue;
    const bool waits_for_own = warp->ready_reason == CycleReason::kTensorPipeBusy;
    until = std::min(until, waits_for_own ? warp->stall_until : warp->ready);
  }
  return until;
}

/// Charges the cycles since the last issue; `warp` issues now. Cycles in which a pipe was busy that
/// it, or a ready warp, needs go to the pipe; the others to the constraint lifted last.
void SubCore::charge_wait(const Warp& warp, Cycle now) {
  const isa::Pipe awaited = warp.next().awaited_pipe;
  const auto free_at = [this, now](isa::Pipe pipe) {
    return std::min(now, pipe_free_[static_cast<std::size_t>(pipe)]);
  };
  if (awaited != isa::Pipe::kTensor) {
    const Cycle held = free_at(isa::Pipe::kTensor);
    if (held > charged_until_) {
      charge(tensor_wanted_from(held), binding_reason(warp, now));
      charge(held, CycleReason::kTensorPipeBusy);
    }
  }
  charge(free_at(awaited), awaited == isa::Pipe::kTensor ? CycleReason::kTensorPipeBusy
                                                         : CycleReason::kOtherPipeBusy);
  if (now > charged_until_) charge(now, binding_reason(warp, now));
}

/// Charges as if the warp that is ready first issued at `end`; if no warp is known to become ready,
/// according to what the oldest warp waits for.
void SubCore::charge_rest(Cycle end) {
  if (observer_ != nullptr) {
    for (const Warp* const warp : warps_) {
      IssueWait wait = wait_of(*warp, end);
      if (warp->ready == kNever) wait.ready_reason = awaited_reason(*warp);
      observer_->stopped(*warp, wait, end);
    }
  }
  if (end <= charged_until_) return;
  if (warps_.empty()) return charge(end, CycleReason::kNoWarp);
  const Warp& first = **std::ranges::min_element(warps_, {}, &Warp::ready);
  if (first.ready != kNever) return charge_wait(first, end);
  charge(end, awaited_reason(first));
}

IssueWait SubCore::wait_of(const Warp& warp, Cycle now) const {
  return {warp.ready, warp.ready_reason, pipe_free_[static_cast<std::size_t>(warp.next().pipe)],
          memory_queue_freed_, port_wait_until_ == now};
}

void SubCore::issue(Warp& warp, Cycle now) {
  const DecodedInstruction& next = warp.next();
  if (observer_ != nullptr) [[unlikely]]
    observer_->issued(warp, wait_of(warp, now), now);
  if (now > charged_until_) charge_wait(warp, now);
  counters_.cycles[static_cast<std::size_t>(CycleReason::kIssued)].add();
  charged_until_ = now + 1;
  counters_.warp_instructions.add();
  if (next.reads_registers) {
    ports_.read(reads_of(warp), next.read_window);
    if (next.reuse_mask != 0 || !register_cache_.is_empty()) register_cache_.pass(next, warp.slot);
  }
  pipe_free_[static_cast<std::size_t>(next.pipe)] = now + interval_of(next, now);
  if (next.pipe == isa::Pipe::kFma)
    counters_.fma_slots_used.add(static_cast<std::uint64_t>(next.issue_interval));
  if (next.pipe == isa::Pipe::kFp64)
    counters_.fp64_slots_used.add(static_cast<std::uint64_t>(next.issue_interval));
  if (next.pipe == isa::Pipe::kHalf)
    counters_.half_slots_used.add(static_cast<std::uint64_t>(next.issue_interval));
  if (next.pipe == isa::Pipe::kTensor) issue_mma(warp, now);
  next_attempt_ = next_attempt_of_others(warp, now);
}

/// When a warp other than `issuing` may issue after `now`. (`issuing` wakes the sub-core as soon as
/// it is set up again.)
Cycle SubCore::next_attempt_of_others(const Warp& issuing, Cycle now) const {
  Cycle next = kNever;
  for (const Warp* const warp : warps_) {
    if (warp == &issuing) continue;
    next = std::min(next, earliest(*warp));
    if (next <= now) return now + 1;
  }
  return next;
}

/// The issue interval of `next`, lengthened by `percent`: the slowdown was measured as longer
/// intervals (scripts/gpu/hopper/beside.cu).
Cycle SubCore::slowed_interval(const DecodedInstruction& next, int percent) {
  Cycle& rest = slowdown_rest_[static_cast<std::size_t>(next.pipe)];
  rest += Cycle{next.issue_interval} * percent;
  const Cycle added = rest / 100;
  rest %= 100;
  return next.issue_interval + added;
}

void SubCore::issue_mma(Warp& warp, Cycle now) {
  const DecodedInstruction& next = warp.next();
  Cycle& free = pipe_free_[static_cast<std::size_t>(isa::Pipe::kTensor)];
  if (tensor_unit_ != nullptr) free = tensor_unit_->issue(now, warp.bindings, next.opcode);
  counters_.mma_instructions.add();
  counters_.tensor_issue_slots_used.add(static_cast<std::uint64_t>(free - now));
  counters_.tensor_macs.add(static_cast<std::uint64_t>(executed_macs(next.opcode)));
  warp.tensor_again = free + same_warp_extra_;
  count_tensor_busy(now, std::max(free, now + next.latency));
}

/// An MMA or a product holds the tensor pipe from `start` to `end`; cycles that are already counted
/// are not counted again.
void SubCore::count_tensor_busy(Cycle start, Cycle end) {
  const Cycle since = std::max(start, tensor_busy_until_);
  if (end <= since) return;
  counters_.tensor_busy_cycles.add(static_cast<std::uint64_t>(end - since));
  tensor_busy_until_ = end;
}

Cycle SubCore::execute_part(const Warp& warp, isa::Opcode opcode, Cycle start) {
  return tensor_unit_ == nullptr ? start : tensor_unit_->issue(start, warp.bindings, opcode);
}

void SubCore::count_part(std::int64_t macs) {
  counters_.mma_instructions.add();
  counters_.tensor_macs.add(static_cast<std::uint64_t>(macs));
}

void SubCore::count_turn(Cycle start, Cycle end) {
  counters_.tensor_issue_slots_used.add(static_cast<std::uint64_t>(end - start));
  count_tensor_busy(start, end);
}

void SubCore::begin_kernel(Cycle launch, Cycle first_cta) {
  if (launch_until_ == kNever) launch_until_ = 0;  // the first one was launched only now
  charge(launch, CycleReason::kNoWarp);
  launch_until_ = first_cta;
  if (tensor_unit_ != nullptr) tensor_unit_->begin_kernel();
}

void SubCore::drain(Cycle ended, Cycle done) {
  charge(ended, CycleReason::kNoWarp);
  charge(done, CycleReason::kDrain);
}

void SubCore::charge(Cycle until, CycleReason reason) {
  if (until <= charged_until_) return;
  if (const Cycle launched = std::min(until, launch_until_); launched > charged_until_) {
    counters_.cycles[static_cast<std::size_t>(CycleReason::kLaunch)].add(
        static_cast<std::uint64_t>(launched - charged_until_));
    charged_until_ = launched;
  }
  counters_.cycles[static_cast<std::size_t>(reason)].add(
      static_cast<std::uint64_t>(until - charged_until_));
  charged_until_ = until;
}

}  // namespace tcsim::sm
