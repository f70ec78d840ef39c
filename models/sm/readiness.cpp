// When the warps of an SM may issue next: the tokens that units return, and their consequences.

#include <algorithm>

#include "models/sm/sm.hpp"

namespace tcsim::sm {

/// Interprets the token of something that a unit has finished.
void Sm::complete(const Completion& completion, Cycle now) {
  const CompletionToken token = completion.token;
  Warp& warp = residency_.warp(token.place);
  switch (token.kind) {
    case CompletionToken::Kind::kNone:
      break;
    case CompletionToken::Kind::kResult:
    case CompletionToken::Kind::kSourcesRead:
      count_down(warp, token, completion.reason, now);
      break;
    case CompletionToken::Kind::kCopy:
      warp.copies.done(token.index);
      while (const CompletionToken arrival = warp.copies.take_complete())
        completions_.push(now + params_.mbarrier.arrive_cycles, arrival, completion.reason);
      go_on(warp, completion.reason, now);
      break;
    case CompletionToken::Kind::kArrival:
    case CompletionToken::Kind::kBytes:
    case CompletionToken::Kind::kBox:
    case CompletionToken::Kind::kCluster:
      complete_for_cta(completion, now);
      break;
    case CompletionToken::Kind::kOperands:
      pipeline_.take_path(token.index, now);
      break;
    case CompletionToken::Kind::kPeerAnswer:
      pipeline_.send_answer(token.value, now);
      break;
    case CompletionToken::Kind::kPutTurn:
      pipeline_.go_on_putting(now);
      break;
    case CompletionToken::Kind::kPeerWritten:
      --warp.peer_writes;
      if (!fences_.empty()) settle_fences(now);
      go_on(warp, completion.reason, now);
      break;
    case CompletionToken::Kind::kUnreachable:
      warp.unreachable = static_cast<std::int16_t>(token.index);
      break;
    case CompletionToken::Kind::kProduct:
      warp.products.done(token.index);
      go_on(warp, completion.reason, now);
  }
}

/// The part of `complete` for tokens of CTA slots. A token is lost if its CTA has ended and another
/// one has its slot: no warp is left that could see what it stands for.
void Sm::complete_for_cta(const Completion& completion, Cycle now) {
  const CompletionToken token = completion.token;
  if (completion.order < residency_.cta(token.place).first_completion) return;
  if (token.kind == CompletionToken::Kind::kCluster)
    return cta_came_to_cluster(token.place, completion.reason, now);
  if (token.kind == CompletionToken::Kind::kArrival)
    return change_phase(token.place, token.index, 1, token.value, completion.reason, now);
  change_phase(token.place, token.index, 0, -token.value, completion.reason, now);
  if (token.kind == CompletionToken::Kind::kBox) box_is_done(token.place, now);
}

/// Decrements a dependence counter of `warp`; under a scoreboard, frees the registers of the
/// instruction.
void Sm::count_down(Warp& warp, CompletionToken token, CycleReason reason, Cycle now) {
  const bool is_zero = warp.counters.count_down(static_cast<std::uint8_t>(token.index));
  if (!scoreboards_.empty()) {
    const DecodedInstruction& done =
        warp.program->instructions[static_cast<std::size_t>(token.value)];
    if (token.kind == CompletionToken::Kind::kResult)
      scoreboards_[warp.slot].loaded(done, now);
    else
      scoreboards_[warp.slot].sources_read(done);
  } else if (!is_zero) {
    return;
  }
  go_on(warp, reason, now);
}

/// Called when something that `warp` may wait for has arrived: the warp retires if it has exited;
/// otherwise its next issue is recomputed.
void Sm::go_on(Warp& warp, CycleReason reason, Cycle now) {
  if (warp.exiting) return residency_.retire_if_done(warp, now);
  if (warp.ready == kNever) settle(warp, now, reason);
}

/// `warp` no longer waits for what held it.
void Sm::release(Warp& warp, Cycle now) {
  warp.hold = Hold::kNone;
  if (observer_ != nullptr) observer_->released(warp, now);
}

/// Recomputes when `warp` may issue next, after something has changed at `now` for `reason`.
void Sm::settle(Warp& warp, Cycle now, CycleReason reason) {
  const DecodedInstruction& next = warp.next();
  if (warp.is_held() || (warp.counters.busy() & next.wait_mask) != 0 ||
      group_wait(warp) != WaitKind::kNothing) {
    warp.ready = kNever;
    return;
  }
  if (!scoreboards_.empty() && !settle_dependences(warp)) return;
  warp.ready_reason = now > warp.stall_until ? reason : warp.stall_reason;
  warp.ready = std::max(warp.stall_until, now);
  if (next.pipe == isa::Pipe::kTensor && warp.tensor_again > warp.ready) {
    warp.stall_until = warp.ready;  // from here on it waits only for the pipe
    warp.stall_reason = warp.ready_reason;
    warp.ready = warp.tensor_again;
    warp.ready_reason = CycleReason::kTensorPipeBusy;
  }
  sub_core_of(warp).wake(std::max(warp.ready, now));
}

/// Under a scoreboard: delays the next instruction of `warp` until its operands are ready. Returns
/// false, and the warp waits, if only a completion can determine when.
bool Sm::settle_dependences(Warp& warp) {
  const Cycle at = scoreboards_[warp.slot].earliest(warp.next());
  if (at == kNever) {
    warp.ready = kNever;
    return false;
  }
  warp.hold_back(at, CycleReason::kDependenceFixed);
  return true;
}

}  // namespace tcsim::sm
