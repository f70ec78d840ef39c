// The effects of the instructions that the sub-cores issue, apart from taking pipe, ports and issue
// slot.

#include <algorithm>

#include "models/sm/control_flow.hpp"
#include "models/sm/lane_addresses.hpp"
#include "models/sm/sm.hpp"

namespace tcsim::sm {
namespace {

/// Increments `counter` for the next instruction of `warp`. Returns the token that decrements it.
CompletionToken expect(Warp& warp, CompletionToken::Kind kind, std::uint8_t counter) {
  if (counter == isa::ControlBits::kNoCounter) return {};
  warp.counters.count_up(counter);
  return {kind, warp.slot, counter, warp.pc()};
}

}  // namespace

/// Executes the effects of the next instruction of `warp` apart from taking its slot, then sets up
/// the instruction after it.
void Sm::carry_out(Warp& warp, Cycle now) {
  const DecodedInstruction& instruction = warp.next();
  const std::uint32_t lanes = active_lanes(warp, instruction);
  const bool is_memory = isa::is_memory(instruction.effect);
  if (is_memory) {
    access_memory(warp, lanes, now);
  } else {
    switch (instruction.effect) {
      case isa::Effect::kCloseCopyGroup:
        if (lanes != 0) warp.copies.close();
        break;
      case isa::Effect::kFence:
        if (lanes != 0) return pass_fence(warp, now);
        break;
      case isa::Effect::kBarrier:
        if (lanes != 0)
          warp.barrier =
              static_cast<std::int16_t>(isa::named_barrier(instruction.immediate).number);
        break;
      case isa::Effect::kExit:
        warp.lanes &= ~lanes;
        if (warp.lanes == 0) return exit(warp, now);
        break;
      default:
        if (instruction.effect >= isa::Effect::kInitBarrier) [[unlikely]]
          return carry_out_asynchronous(warp, lanes, now);
        if (!instruction.fixed_latency || instruction.pipe == isa::Pipe::kFp64)
          execute(warp, instruction, now);
    }
  }
  // A memory operation without lanes has no results to wait for.
  if (!scoreboards_.empty() && (lanes != 0 || !is_memory))
    scoreboards_[warp.slot].issue(instruction, now);
  move_on(warp, now);
  const bool arrives = instruction.effect == isa::Effect::kBarrierArrive && lanes != 0;
  if (warp.barrier != kNoBarrier || arrives)
    arrive_at_barrier(warp, isa::named_barrier(instruction.immediate), now);
}

void Sm::access_memory(Warp& warp, std::uint32_t lanes, Cycle now) {
  const DecodedInstruction& instruction = warp.next();
  const IssueId id{warp.slot, now};
  if (lanes == 0) {  // predicated off: takes only its issue slot
    if (observer_ != nullptr) observer_->completed(id, now + 1);
    return;
  }
  CompletionToken done;  // empty for stores
  if (instruction.effect == isa::Effect::kCopyGlobalToShared)
    done = {CompletionToken::Kind::kCopy, warp.slot, warp.copies.add(), warp.pc()};
  else if (instruction.dst_registers != 0)
    done = expect(warp, CompletionToken::Kind::kResult, instruction.write_counter);
  const CompletionToken sources_read =
      expect(warp, CompletionToken::Kind::kSourcesRead, instruction.read_counter);
  LaneValues room;
  IssuedAccess access{.instruction = instruction,
                      .addresses = lane_addresses(warp, instruction, room),
                      .lanes = lanes,
                      .id = id,
                      .cta = residency_.cta_of(warp).number,
                      .sources_read = sources_read,
                      .done = done};
  if (isa::addresses_cluster(instruction.effect)) [[unlikely]] {
    const Cta& cta = residency_.cta_of(warp);
    access.cluster = cta.cluster;
    access.rank = cta.rank;
    if (isa::carries_data(instruction.effect)) {
      access.written = {CompletionToken::Kind::kPeerWritten, warp.slot};
      ++warp.peer_writes;
    }
  }
  pipeline_.accept(access, warp.sub_core);
}

/// Effects beyond the pipe of its sub-core: takes the FP64 unit if all sub-cores share it, or
/// expects a result of variable latency.
void Sm::execute(Warp& warp, const DecodedInstruction& instruction, Cycle now) {
  if (instruction.pipe == isa::Pipe::kFp64 && fp64_is_shared_) [[unlikely]] {
    for (const auto& other : sub_cores_)
      if (other.get() != &sub_core_of(warp)) other->block_fp64(now, instruction.issue_interval);
  }
  if (!instruction.fixed_latency)
    completions_.push(now + instruction.latency,
                      expect(warp, CompletionToken::Kind::kResult, instruction.write_counter),
                      CycleReason::kDependenceGlobal);
}

/// `warp` has issued its next instruction at `now`: sets up the instruction after it.
void Sm::move_on(Warp& warp, Cycle now) {
  const DecodedInstruction& issued = warp.next();
  warp.stall_until = now + issued.stall;
  warp.stall_reason = CycleReason::kDependenceFixed;
  if (isa::is_branch(issued.effect))
    warp.stall_until = std::max<Cycle>(warp.stall_until, now + issued.latency);
  const bool jumps = advance(warp, issued);
  if (jumps) {
    if (!code_.is_perfect()) code_.fetch(warp, now, /*from_start=*/true);
  } else if (warp.next().starts_line || warp.next().ends_ahead) {
    code_.fetch(warp, now, /*from_start=*/false);
  }
  settle(warp, now, CycleReason::kDependenceFixed);
}

void Sm::exit(Warp& warp, Cycle now) {
  sub_core_of(warp).remove_warp(warp);
  warp.exiting = true;
  warp.ready = kNever;
  Cta& cta = residency_.cta_of(warp);
  --cta.warps_left;
  cta.cluster_barrier.exit(warp.cluster_arrivals);
  tell_cluster_if_complete(warp, now);
  if (cta.warps_left == 0 && cta.cluster != memory::ClusterTable::kNone) leave_cluster(warp, now);
  open_complete_barriers(cta, now);
  residency_.retire_if_done(warp, now);
}

}  // namespace tcsim::sm
