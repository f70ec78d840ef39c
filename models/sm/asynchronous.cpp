// The effects of Hopper's asynchronous instructions: mbarriers, copies of boxes, products of
// warpgroups. One thread of a warp executes the first two.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

#include "models/sm/async_operands.hpp"
#include "models/sm/sm.hpp"

namespace tcsim::sm {
namespace {

int number_of(const Warp& warp) {
  return static_cast<int>(warp.bindings[static_cast<std::size_t>(isa::Variable::kWarp)]);
}

}  // namespace

void Sm::carry_out_asynchronous(Warp& warp, std::uint32_t lanes, Cycle now) {
  const DecodedInstruction& instruction = warp.next();
  if (lanes == 0) {  // predicated off: takes only its issue slot
    if (observer_ != nullptr) observer_->completed({warp.slot, now}, now + 1);
    return move_on(warp, now);
  }
  switch (instruction.effect) {
    case isa::Effect::kInitBarrier:
    case isa::Effect::kArrive:
    case isa::Effect::kArriveWithBytes:
    case isa::Effect::kArriveAfterCopies:
    case isa::Effect::kArriveRemote:
      if (instruction.effect == isa::Effect::kArriveAfterCopies) warp.copies.close();
      for (std::uint32_t left = threads_of(warp, lanes); left != 0; left &= left - 1) {
        const BarrierValues named = barrier_of(warp, instruction, std::countr_zero(left));
        if (instruction.effect == isa::Effect::kArriveRemote)
          arrive_remotely(warp, named, now);
        else
          change_barrier(warp, named, now);
      }
      return move_on(warp, now);
    case isa::Effect::kWaitPhase:
      return wait_for_phase(warp, barrier_of(warp, instruction, std::countr_zero(lanes)), now);
    case isa::Effect::kClusterArrive:
      move_on(warp, now);
      return arrive_at_cluster(warp, now);
    case isa::Effect::kClusterWait:
      return wait_for_cluster(warp, now);
    case isa::Effect::kLoadTile:
    case isa::Effect::kLoadTileToMany:
    case isa::Effect::kStoreTile:
    case isa::Effect::kReduceTile:
    case isa::Effect::kPutTile:
    case isa::Effect::kPrefetchTile:
      copy_box(warp, now);
      return go_on_after_latency(warp, now);
    case isa::Effect::kProxyFence:
      return go_on_after_latency(warp, now);
    case isa::Effect::kGroupMma:
      return meet_for_product(warp, now);
    default:
      return move_on(warp, now);
  }
}

/// Moves `warp` past its next instruction; it continues after the latency of that instruction at
/// the earliest.
void Sm::go_on_after_latency(Warp& warp, Cycle now) {
  const Cycle at = now + warp.next().latency;
  move_on(warp, now);
  if (at <= warp.stall_until) return;
  warp.hold_back(at, CycleReason::kBarrier);
  settle(warp, now, CycleReason::kBarrier);
}

/// The number of the mbarrier at `byte`. An mbarrier that was never initialised has phases that
/// never end, so warps that wait for them show up in the deadlock report.
int Sm::barrier_at(Cta& cta, std::int64_t byte) {
  if (const int index = cta.mbarriers.find(byte); index != isa::kNoIndex) return index;
  cta.mbarriers.init(byte, Mbarrier::kNoArrivals);
  return cta.mbarriers.find(byte);
}

/// Operations of an SM on mbarriers are serialised. Returns when the operation of `now` becomes
/// visible.
Cycle Sm::mbarrier_turn(Cycle now) {
  const Cycle start = std::max(mbarrier_unit_free_, now);
  mbarrier_unit_free_ = start + params_.mbarrier.interval_cycles;
  return start + params_.mbarrier.arrive_cycles;
}

void Sm::change_barrier(Warp& warp, const BarrierValues& named, Cycle now) {
  const DecodedInstruction& instruction = warp.next();
  const auto value = static_cast<std::int32_t>(named.value);
  const Cycle seen = mbarrier_turn(now);
  Cta& cta = residency_.cta_of(warp);
  if (instruction.effect == isa::Effect::kInitBarrier)
    return cta.mbarriers.init(named.address, value);
  CompletionToken token{CompletionToken::Kind::kArrival, static_cast<std::uint8_t>(warp.cta_slot)};
  token.index = static_cast<std::uint16_t>(barrier_at(cta, named.address));
  token.value = instruction.effect == isa::Effect::kArriveWithBytes ? value : 0;
  if (instruction.effect == isa::Effect::kArriveAfterCopies &&
      !warp.copies.tell_when_complete(token))
    return;
  completions_.push(seen, token, CycleReason::kBarrier);
  if (observer_ != nullptr) observer_->changes_mbarrier({warp.slot, now}, seen);
}

void Sm::wait_for_phase(Warp& warp, const BarrierValues& named, Cycle now) {
  Cta& cta = residency_.cta_of(warp);
  const int barrier = barrier_at(cta, named.address);
  warp.parity = named.value;
  if (cta.mbarriers[barrier].has_passed(warp.parity)) return go_on_after_latency(warp, now);
  warp.hold = Hold::kPhase;
  warp.phase_barrier = barrier;
  cta.mbarriers.sleep(barrier, warp.slot);
  move_on(warp, now);
}

void Sm::change_phase(int cta_slot, int barrier, int arrivals, std::int64_t bytes,
                      CycleReason reason, Cycle now) {
  Cta& cta = residency_.cta(cta_slot);
  cta.mbarriers.change(barrier, arrivals, bytes, [&](std::uint8_t slot) {
    Warp& warp = residency_.warp(slot);
    release(warp, now);
    warp.stall_until = std::max(warp.stall_until, now + params_.mbarrier.wake_cycles);
    warp.stall_reason = reason;
    settle(warp, now, reason);
  });
}

/// A box that the CTA requested has arrived, or a line of a box for several CTAs.
void Sm::box_is_done(int cta_slot, Cycle now) {
  Cta& cta = residency_.cta(cta_slot);
  if (--cta.boxes_under_way != 0) return;
  for (const int slot : cta.warps) residency_.retire_if_done(residency_.warp(slot), now);
}

void Sm::copy_box(Warp& warp, Cycle now) {
  const DecodedInstruction& instruction = warp.next();
  IssuedBox box = box_of(*kernel_, warp, instruction);
  box.id = {warp.slot, now};
  if (isa::writes_tile(instruction.effect)) {
    box.done = {CompletionToken::Kind::kCopy, warp.slot, warp.copies.add(), warp.pc()};
  } else if (instruction.effect == isa::Effect::kLoadTileToMany) {
    return copy_box_to_many(warp, box, now);
  } else if (instruction.effect == isa::Effect::kPutTile) {
    return put_box(warp, box, now);
  } else if (instruction.effect == isa::Effect::kLoadTile) {
    Cta& cta = residency_.cta_of(warp);
    ++cta.boxes_under_way;
    box.done = {CompletionToken::Kind::kBox, static_cast<std::uint8_t>(warp.cta_slot),
                static_cast<std::uint16_t>(barrier_at(cta, box.barrier)), box.bytes};
  }
  pipeline_.start(box, now);
}

/// A product starts when the last warp of its warpgroup reaches it; the other warps wait there.
void Sm::meet_for_product(Warp& warp, Cycle now) {
  const DecodedInstruction& product = warp.next();
  Cta& cta = residency_.cta_of(warp);
  const int group = number_of(warp) / isa::kGroupWarps;
  std::uint8_t& met = cta.met[static_cast<std::size_t>(group)];
  warp.hold = Hold::kGroup;
  move_on(warp, now);
  if (++met < isa::kGroupWarps) return;
  met = 0;
  start_product(cta, group * isa::kGroupWarps, product, now);
}

/// The product joins the queue; its warps are held while the queue is full.
void Sm::start_product(Cta& cta, int first_warp, const DecodedInstruction& product, Cycle now) {
  const isa::GroupMma& mma = isa::group_mma(product.opcode);
  const Cycle joined = group_tensor_.room_at(mma.a_in_registers, now);
  Cycle start = std::max(joined, group_tensor_.free_at());
  for (const auto& sub_core : sub_cores_) start = std::max(start, sub_core->tensor_free_at());
  // When the sub-cores have executed their parts, if attached units replace the timing table.
  std::array<Cycle, kMaxSubCores> executed;
  executed.fill(start);
  for (int number = first_warp; number < first_warp + isa::kGroupWarps; ++number) {
    const Warp& warp = residency_.warp(cta.warps[static_cast<std::size_t>(number)]);
    Cycle& at = executed[warp.sub_core];
    at = sub_core_of(warp).execute_part(warp, product.opcode, at);
  }
  const auto array_cycles = static_cast<int>(std::ranges::max(executed) - start);
  const int cycles =
      array_cycles == 0 ? product.latency : turn_cycles(product.opcode, array_cycles, params_);
  const GroupTensor::Turn turn = group_tensor_.join(cycles, joined, start);
  if (observer_ != nullptr)
    observer_->started_product(residency_.warp(cta.warps[static_cast<std::size_t>(first_warp)]),
                               {joined, turn.start, turn.end, turn.written});
  const auto operands = static_cast<std::uint16_t>(shared_operand_bytes(product.opcode));
  completions_.push(turn.start, {CompletionToken::Kind::kOperands, 0, operands},
                    CycleReason::kTensorPipeBusy);
  for (int number = first_warp; number < first_warp + isa::kGroupWarps; ++number) {
    Warp& warp = residency_.warp(cta.warps[static_cast<std::size_t>(number)]);
    sub_core_of(warp).count_part(executed_macs(product.opcode));
    // Warps in places that follow each other rotate over the sub-cores; each counts a turn once.
    if (number - first_warp < sub_cores()) sub_core_of(warp).count_turn(turn.start, turn.end);
    completions_.push(turn.written,
                      {CompletionToken::Kind::kProduct, warp.slot, warp.products.add()},
                      CycleReason::kTensorPipeBusy);
    if ((product.immediate & isa::kClosesGroup) != 0) warp.products.close();
    warp.hold = Hold::kNone;
    // Their sub-cores may already have issued in this cycle.
    warp.hold_back(std::max(joined, now + 1), CycleReason::kTensorPipeBusy);
    settle(warp, now, CycleReason::kTensorPipeBusy);
  }
}

}  // namespace tcsim::sm
