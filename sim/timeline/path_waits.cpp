// What an instruction, or the end of a phase, waited for last.

#include "sim/timeline/path_listener.hpp"

namespace tcsim::timeline {

using isa::Effect;
using sm::CycleReason;

PathListener::Wait PathListener::last_wait(const sm::Warp& warp, const sm::IssueWait& wait,
                                           Cycle now) {
  const sm::DecodedInstruction& next = warp.next();
  const OfWarp& own = warps_[warp.slot];
  OfSubCore& sub_core = sub_core_of(warp);
  const Cycle queue = next.pipe == isa::Pipe::kMemory ? wait.queue_free : 0;
  const Cycle latest = std::max({wait.ready, wait.pipe_free, queue});
  if (now > latest && sub_core.last) {
    if (wait.port_refused) return {sub_core.last, PathCause::kRegisterPort};
    if (sub_core.last->at >= latest) return {sub_core.last, PathCause::kIssueSlot};
  }
  if (queue == latest && queue > wait.ready && sub_core.entered)
    return {sub_core.entered, PathCause::kMemoryQueue};
  // A stall that the assembler planned for the interval of a pipe is that pipe's.
  const bool is_planned =
      wait.ready == latest && wait.ready_reason == CycleReason::kDependenceFixed;
  if (wait.pipe_free == latest && (wait.pipe_free > wait.ready || is_planned)) {
    const PathRef& user = next.pipe == isa::Pipe::kFp64
                              ? fp64_user_
                              : sub_core.users[static_cast<std::size_t>(next.pipe)];
    if (user) return {user, PathCause::kPipe};
  }
  return dependence(own, wait);
}

PathListener::Wait PathListener::dependence(const OfWarp& own, const sm::IssueWait& wait) const {
  switch (wait.ready_reason) {
    case CycleReason::kInstructionFetch:
      return {own.last, PathCause::kFetch};
    case CycleReason::kConstant:
      return operation_result(own, wait.ready, PathCause::kConstant);
    case CycleReason::kDependenceShared:
    case CycleReason::kDependenceGlobal:
    case CycleReason::kCopyWait:
    case CycleReason::kBarrier:
      if (own.release.before) return own.release;
      return operation_result(own, wait.ready, PathCause::kDependence);
    case CycleReason::kTensorPipeBusy:
      return product_result(own, wait.ready);
    default:
      return fixed_result(own, wait.ready, PathCause::kDependence);
  }
}

PathListener::Wait PathListener::operation_result(const OfWarp& own, Cycle ready,
                                                  PathCause otherwise) {
  for (auto it = own.operations.rbegin(); it != own.operations.rend(); ++it) {
    if (it->done == ready && it->completed) return {it->completed, PathCause::kReturn};
    if (it->read == ready && it->entered) return {it->entered, PathCause::kMemoryQueue};
  }
  return fixed_result(own, ready, otherwise);
}

PathListener::Wait PathListener::fixed_result(const OfWarp& own, Cycle ready, PathCause cause) {
  const std::size_t known = std::min(own.issues, own.recent.size());
  for (std::size_t i = 1; i <= known; ++i) {
    const Recent& recent = own.recent[(own.issues - i) % own.recent.size()];
    if (recent.result == ready) return {recent.event, cause};
  }
  return {own.last, cause};
}

PathListener::Wait PathListener::product_result(const OfWarp& own, Cycle ready) const {
  for (auto it = products_.rbegin(); it != products_.rend(); ++it) {
    if (it->cta_slot != own.cta_slot) continue;
    if (own.last_effect != Effect::kGroupMma && it->turn.written == ready)
      return {it->start, PathCause::kDependence};
    if (own.last_effect == Effect::kGroupMma && it->turn.joined <= ready)
      return {it->joined,
              it->joined->at < it->turn.joined ? PathCause::kPipe : PathCause::kDependence};
  }
  const std::size_t known = std::min(own.issues, own.recent.size());
  for (std::size_t i = 1; i <= known; ++i) {
    const PathRef& event = own.recent[(own.issues - i) % own.recent.size()].event;
    const isa::Opcode opcode =
        shared_.programs[ordinal_].opcodes[static_cast<std::size_t>(event->program)]
                                          [static_cast<std::size_t>(event->instruction)];
    if (isa::opcode_info(opcode).pipe == isa::Pipe::kTensor) return {event, PathCause::kPipe};
  }
  return {own.last, PathCause::kPipe};
}

PathListener::Wait PathListener::end_of_phase(const sm::Warp& warp, Cycle now) {
  std::erase_if(signals_, [now](const Signal& signal) { return signal.at < now; });
  for (auto it = signals_.rbegin(); it != signals_.rend(); ++it)
    if (it->cta_slot == warp.cta_slot && it->at == now) return {it->event, PathCause::kMbarrier};
  const PathRef remote = shared_.latest(cluster_of(warp), warps_[warp.slot].waits_at, now);
  return {remote, PathCause::kMbarrier};
}

}  // namespace tcsim::timeline
