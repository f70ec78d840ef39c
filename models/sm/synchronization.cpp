// How the warps of an SM wait for each other and for memory: named barriers and fences.

#include <algorithm>

#include "models/sm/sm.hpp"

namespace tcsim::sm {

/// `warp` has arrived at `named`; if it waits there, it is held.
void Sm::arrive_at_barrier(const Warp& warp, const isa::NamedBarrier& named, Cycle now) {
  Cta& cta = residency_.cta_of(warp);
  barrier_unit_.arrive(now);
  if (warp.barrier != kNoBarrier)
    cta.barriers.arrive_and_wait(named, warp.slot);
  else
    cta.barriers.arrive(named);
  open_complete_barriers(cta, now);
}

/// An exit counts like an arrival.
void Sm::open_complete_barriers(Cta& cta, Cycle now) {
  cta.barriers.open_complete(cta.warps_left, [this, now](std::uint8_t slot) {
    Warp& warp = residency_.warp(slot);
    warp.barrier = kNoBarrier;
    if (observer_ != nullptr) observer_->released(warp, now);
    if (const Cycle open = barrier_unit_.opens_at(now); open >= warp.stall_until) {
      warp.stall_until = open;
      warp.stall_reason = CycleReason::kBarrier;
    }
    settle(warp, now, CycleReason::kBarrier);
  });
}

/// After a fence the warp continues after the fence's latency, which starts when no write of its
/// CTA is unanswered (docs/accuracy.md, "Fences").
void Sm::pass_fence(Warp& warp, Cycle now) {
  const DecodedInstruction& fence = warp.next();
  const bool waits = has_writes_under_way(warp);
  if (waits) {
    warp.hold = Hold::kFence;
    fences_.push_back({&warp, fence.latency});
  }
  move_on(warp, now);
  if (!waits) end_fence(warp, fence.latency, now);
}

void Sm::end_fence(Warp& warp, Cycle latency, Cycle now) {
  warp.hold_back(now + latency, CycleReason::kDependenceGlobal);
  settle(warp, now, CycleReason::kDependenceGlobal);
}

/// True if some warp of the CTA of `warp` waits for the answer to a write: a fence also orders what
/// other warps wrote before a barrier.
bool Sm::has_writes_under_way(const Warp& warp) const {
  const Cta& cta = residency_.cta_of(warp);
  if (pipeline_.writes().of_cta(cta.number) != 0) return true;
  return std::ranges::any_of(cta.warps, [&](int slot) {
    const Warp& other = residency_.warps()[static_cast<std::size_t>(slot)];
    return other.cta_slot == warp.cta_slot && other.peer_writes != 0;
  });
}

/// Releases the warps whose fence has nothing left to wait for.
void Sm::settle_fences(Cycle now) {
  std::erase_if(fences_, [this, now](const WaitingFence& fence) {
    if (has_writes_under_way(*fence.warp)) return false;
    release(*fence.warp, now);
    end_fence(*fence.warp, fence.latency, now);
    return true;
  });
}

}  // namespace tcsim::sm
