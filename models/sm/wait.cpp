#include "models/sm/wait.hpp"

#include <algorithm>
#include <bit>

#include "models/sm/control_flow.hpp"
#include "models/sm/lane_addresses.hpp"

namespace tcsim::sm {
namespace {

/// True for effects that no other warp can see or wait for.
bool is_private(isa::Effect effect) {
  switch (effect) {
    case isa::Effect::kStoreGlobal:
    case isa::Effect::kStoreShared:
    case isa::Effect::kStoreMatrix:
    case isa::Effect::kStoreCluster:
    case isa::Effect::kAtomicGlobal:
    case isa::Effect::kReduceGlobal:
    case isa::Effect::kAtomicCluster:
    case isa::Effect::kAtomicShared:
    case isa::Effect::kCopyGlobalToShared:
    case isa::Effect::kBarrier:
    case isa::Effect::kBarrierArrive:
    case isa::Effect::kExit:
      return false;
    default:
      return effect < isa::Effect::kInitBarrier;
  }
}

/// The address that the first active lane of `instruction` reads, or empty if no lane is active.
std::optional<std::uint64_t> address_of(const Warp& warp, const DecodedInstruction& instruction) {
  const std::uint32_t lanes = active_lanes(warp, instruction);
  if (lanes == 0) return std::nullopt;
  LaneValues room;
  const LaneAddresses addresses = lane_addresses(warp, instruction, room);
  const DecodedAccess& access = addresses.access;
  return access.buffer_base + static_cast<std::uint64_t>(access.global_swizzle.apply(
                                  addresses.of_lane(std::countr_zero(lanes))));
}

/// The flag that `warp` reads, if it is in a loop that does nothing else.
std::optional<FlagWait> flag_wait(const Warp& warp) {
  if (warp.recorded) return std::nullopt;
  const int pc = warp.pc();
  for (const DecodedLoop& loop : warp.program->loops) {
    if (!loop.until || pc < loop.first || pc > loop.last) continue;
    const auto first = warp.program->instructions.begin() + loop.first;
    const auto end = warp.program->instructions.begin() + loop.last + 1;
    if (!std::all_of(first, end, [](const auto& i) { return is_private(i.effect); })) continue;
    const auto look = std::find_if(first, end, [&warp](const DecodedInstruction& i) {
      return i.opcode == isa::Opcode::kLdgStrong32 &&
             warp.program->accesses[static_cast<std::size_t>(i.access)].flags;
    });
    if (look == end) continue;
    const std::optional<std::uint64_t> address = address_of(warp, *look);
    if (!address) continue;
    const std::int64_t until = isa::evaluate(*loop.until, warp.bindings);
    return FlagWait{*address, until, warp.flag < until, loop.first, loop.last};
  }
  return std::nullopt;
}

/// The number of the instruction before the next one if it has `effect`: a warp is already past the
/// instruction at which it waits.
int just_behind(const Warp& warp, isa::Effect effect) {
  const int pc = warp.pc();
  if (pc == 0) return pc;
  const DecodedInstruction& before = warp.program->instructions[static_cast<std::size_t>(pc) - 1];
  return before.effect == effect ? pc - 1 : pc;
}

WaitKind kind_of(const Warp& warp) {
  const bool waits = warp.exiting || warp.ready == kNever;
  if (waits && warp.unreachable != Warp::kAllReachable) return WaitKind::kUnreachable;
  if (warp.exiting) return WaitKind::kExit;
  if (warp.barrier != kNoBarrier) return WaitKind::kBarrier;
  if (warp.hold == Hold::kFence) return WaitKind::kWrites;
  if (warp.hold == Hold::kConstant) return WaitKind::kConstant;
  if (warp.hold == Hold::kPhase) return WaitKind::kPhase;
  if (warp.hold == Hold::kGroup) return WaitKind::kGroup;
  if (warp.hold == Hold::kCluster) return WaitKind::kCluster;
  if (warp.hold == Hold::kNumber) return WaitKind::kNumber;
  if (warp.waits_for_code) return WaitKind::kCode;
  if (warp.ready != kNever) return WaitKind::kNothing;
  if ((warp.counters.busy() & warp.next().wait_mask) != 0) return WaitKind::kResults;
  const WaitKind groups = group_wait(warp);
  return groups == WaitKind::kNothing ? WaitKind::kResults : groups;
}

/// The memory that was read by the last instruction to set one of the counters that `warp` waits
/// for.
CycleReason reason_of_results(const Warp& warp) {
  const int awaited = warp.counters.busy() & warp.next().wait_mask;
  for (int pc = warp.recorded ? 0 : warp.pc(); pc-- > 0;) {
    const DecodedInstruction& before = warp.program->instructions[static_cast<std::size_t>(pc)];
    if (before.write_counter == isa::ControlBits::kNoCounter) continue;
    if ((awaited >> before.write_counter & 1) == 0) continue;
    const bool is_shared =
        isa::addresses_shared(before.effect) || isa::addresses_cluster(before.effect);
    return is_shared ? CycleReason::kDependenceShared : CycleReason::kDependenceGlobal;
  }
  return CycleReason::kDependenceGlobal;
}

}  // namespace

CycleReason awaited_reason(const Warp& warp) {
  switch (kind_of(warp)) {
    case WaitKind::kCode:
      return CycleReason::kInstructionFetch;
    case WaitKind::kConstant:
      return CycleReason::kConstant;
    case WaitKind::kCopies:
      return CycleReason::kCopyWait;
    case WaitKind::kGroup:
    case WaitKind::kProducts:
      return CycleReason::kTensorPipeBusy;
    case WaitKind::kBarrier:
    case WaitKind::kPhase:
    case WaitKind::kCluster:
      return CycleReason::kBarrier;
    case WaitKind::kResults:
      return reason_of_results(warp);
    default:
      return CycleReason::kDependenceGlobal;
  }
}

WarpWait wait_of(const Warp& warp, const Cta& cta) {
  WarpWait wait;
  wait.cta = {warp.bindings[0], warp.bindings[1], warp.bindings[2]};
  wait.warp = static_cast<int>(warp.bindings[3]);
  wait.kind = kind_of(warp);
  wait.instruction = warp.pc();
  wait.barrier = warp.barrier;
  wait.rank = warp.unreachable;
  wait.cluster_arrivals = warp.cluster_arrivals;
  if (wait.kind == WaitKind::kBarrier)
    wait.instruction = just_behind(warp, isa::Effect::kBarrier);
  else if (wait.kind == WaitKind::kWrites)
    wait.instruction = just_behind(warp, isa::Effect::kFence);
  else if (wait.kind == WaitKind::kPhase)
    wait.instruction = just_behind(warp, isa::Effect::kWaitPhase);
  else if (wait.kind == WaitKind::kGroup)
    wait.instruction = just_behind(warp, isa::Effect::kGroupMma);
  else if (wait.kind == WaitKind::kCluster)
    wait.instruction = just_behind(warp, isa::Effect::kClusterWait);
  else if (wait.kind == WaitKind::kResults)
    wait.counters = static_cast<std::uint8_t>(warp.counters.busy() & warp.next().wait_mask);
  if (wait.kind == WaitKind::kBarrier) {
    const Barrier& barrier = cta.barriers[warp.barrier];
    wait.barrier_expects = barrier.expected();
    wait.barrier_lacks = barrier.expected() - barrier.arrived();
  }
  if (wait.kind == WaitKind::kPhase) {
    wait.mbarrier = cta.mbarriers[warp.phase_barrier];
    wait.stray = cta.mbarriers.stray();
    wait.parity = warp.parity;
  }
  const bool loops = wait.kind == WaitKind::kNothing || wait.kind == WaitKind::kResults ||
                     wait.kind == WaitKind::kCode;
  if (loops) wait.flag = flag_wait(warp);
  if (wait.flag) wait.kind = WaitKind::kFlag;
  wait.opcode = warp.program->instructions[static_cast<std::size_t>(wait.instruction)].opcode;
  return wait;
}

}  // namespace tcsim::sm
