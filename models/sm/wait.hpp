#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "models/isa/opcode.hpp"
#include "models/sm/cycle_reason.hpp"
#include "models/sm/residency.hpp"
#include "models/sm/warp.hpp"

namespace tcsim::sm {

enum class WaitKind : std::uint8_t {
  kNothing,  ///< it can issue now or later
  kBarrier,  ///< the other warps of its CTA, at a named barrier
  kFlag,     ///< in a loop that reads a flag and does nothing else
  kCode,
  kConstant,
  kWrites,       ///< at a MEMBAR: answers to stores and atomics of its CTA
  kResults,      ///< dependence counters, or a register under a scoreboard
  kCopies,       ///< groups of copies
  kExit,         ///< it has exited, loads or copies are under way
  kPhase,        ///< the phase of an mbarrier
  kGroup,        ///< the other warps of its warpgroup, at a product
  kCluster,      ///< the other CTAs of its cluster, at their barrier
  kUnreachable,  ///< the answer of a CTA of its cluster that is not there, or no more
  kProducts,     ///< groups of products of its warpgroup
  kNumber,       ///< what its CTA takes from a counter
};

/// The flag that a waiting loop looks at.
struct FlagWait {
  std::uint64_t address = 0;
  std::int64_t until = 0;  ///< the least value that ends the loop
  bool seen_less = false;  ///< what was read last does not end it
  int first = 0;           ///< instructions [first, last] are the loop
  int last = 0;
};

/// What a resident warp waits for between two runs of its SM.
struct WarpWait {
  std::array<std::int64_t, 3> cta{};
  int warp = 0;  ///< number in its CTA
  WaitKind kind = WaitKind::kNothing;
  int instruction = 0;  ///< the one that waits, by its number in the program
  isa::Opcode opcode = isa::Opcode::kNop;
  std::uint8_t counters = 0;  ///< kResults: those it waits for, bit per counter
  int barrier = kNoBarrier;   ///< kBarrier: which
  int cluster_arrivals = 0;   ///< at the barrier of its cluster, so far
  std::optional<FlagWait> flag{};
  std::optional<Mbarrier> mbarrier{};  ///< kPhase: as it stands
  std::optional<Mbarrier> stray{};     ///< kPhase: Mbarriers::stray() of its CTA
  std::int64_t parity = 0;             ///< kPhase: of the phase waited for
  int rank = 0;                        ///< kUnreachable: of the CTA
};

/// Which groups the next instruction of `warp` waits for: kCopies, also where one that closes a
/// group has no room for another, kProducts, or kNothing.
inline WaitKind group_wait(const Warp& warp) {
  const DecodedInstruction& next = warp.next();
  switch (next.effect) {
    case isa::Effect::kCloseCopyGroup:
    case isa::Effect::kArriveAfterCopies:
      return warp.copies.has_room() ? WaitKind::kNothing : WaitKind::kCopies;
    case isa::Effect::kWaitCopyGroups:
      return warp.copies.incomplete() > next.immediate ? WaitKind::kCopies : WaitKind::kNothing;
    case isa::Effect::kWaitGroupMmas:
      return warp.products.incomplete() > next.immediate ? WaitKind::kProducts : WaitKind::kNothing;
    default:
      return WaitKind::kNothing;
  }
}

/// What `warp` of `cta` waits for. Requires that it is resident.
WarpWait wait_of(const Warp& warp, const Cta& cta);

/// What the cycles are charged to in which `warp` waits for something of which it is not known when
/// it comes: where a run ends in the midst of them. Requires ready == kNever.
CycleReason awaited_reason(const Warp& warp);

}  // namespace tcsim::sm
