#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "models/isa/opcode.hpp"
#include "models/sm/control_flow.hpp"
#include "models/sm/cycle_reason.hpp"
#include "models/sm/residency.hpp"
#include "models/sm/warp.hpp"

namespace tcsim::sm {

enum class WaitKind : std::uint8_t {
  kNothing,  ///< nothing: it can issue now or later
  kBarrier,  ///< the other warps of its CTA, at a named barrier
  kFlag,     ///< a flag, in a loop that does nothing but read it
  kCode,
  kConstant,
  kWrites,       ///< at a MEMBAR: answers to stores and atomics of its CTA
  kResults,      ///< dependence counters, or a register under a scoreboard
  kCopies,       ///< groups of copies
  kExit,         ///< loads or copies in flight after it has exited
  kPhase,        ///< the phase of an mbarrier
  kGroup,        ///< the other warps of its warpgroup, at a product
  kCluster,      ///< the other CTAs of its cluster, at their barrier
  kUnreachable,  ///< the answer of a CTA of its cluster that does not exist or has ended
  kProducts,     ///< groups of products of its warpgroup
  kNumber,       ///< the number that its CTA takes from a counter
};

/// The flag that a waiting loop reads.
struct FlagWait {
  std::uint64_t address = 0;
  std::int64_t until = 0;  ///< the smallest value that ends the loop
  bool seen_less = false;  ///< the value read last does not end it
  int first = 0;           ///< instructions [first, last] form the loop
  int last = 0;
};

/// What a resident warp waits for between two runs of its SM.
struct WarpWait {
  std::array<std::int64_t, 3> cta{};
  int warp = 0;  ///< number in its CTA
  WaitKind kind = WaitKind::kNothing;
  int instruction = 0;  ///< the waiting instruction, by its number in the program
  isa::Opcode opcode = isa::Opcode::kNop;
  std::uint8_t counters = 0;  ///< kResults: the counters it waits for, bit per counter
  int barrier = kNoBarrier;   ///< kBarrier: which
  int barrier_expects = 0;    ///< kBarrier: warps that it expects; 0 means all of the CTA
  int barrier_lacks = 0;      ///< kBarrier of some warps: those that have not arrived
  int cluster_arrivals = 0;   ///< arrivals at the barrier of its cluster so far
  std::optional<FlagWait> flag{};
  std::optional<Mbarrier> mbarrier{};  ///< kPhase: its current state
  std::optional<Mbarrier> stray{};     ///< kPhase: Mbarriers::stray() of its CTA
  std::int64_t parity = 0;             ///< kPhase: parity of the phase waited for
  int rank = 0;                        ///< kUnreachable: rank of the CTA
};

/// Which groups the next instruction of `warp` waits for: kCopies (also if it would close a group
/// and there is no room for another), kProducts, or kNothing. An instruction without active lanes
/// waits for none.
inline WaitKind group_wait(const Warp& warp) {
  const DecodedInstruction& next = warp.next();
  const auto wait_if = [&](bool lacks_groups, WaitKind kind) {
    return lacks_groups && active_lanes(warp, next) != 0 ? kind : WaitKind::kNothing;
  };
  switch (next.effect) {
    case isa::Effect::kCloseCopyGroup:
    case isa::Effect::kArriveAfterCopies:
      return wait_if(!warp.copies.has_room(), WaitKind::kCopies);
    case isa::Effect::kWaitCopyGroups:
      return wait_if(warp.copies.incomplete() > next.immediate, WaitKind::kCopies);
    case isa::Effect::kWaitGroupMmas:
      return wait_if(warp.products.incomplete() > next.immediate, WaitKind::kProducts);
    default:
      return WaitKind::kNothing;
  }
}

/// What `warp` of `cta` waits for. Requires that it is resident.
WarpWait wait_of(const Warp& warp, const Cta& cta);

/// The reason to charge cycles to while `warp` waits for something whose arrival time is unknown,
/// when a run ends during that wait. Requires ready == kNever.
CycleReason awaited_reason(const Warp& warp);

}  // namespace tcsim::sm
