#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/isa/expression.hpp"
#include "models/isa/program.hpp"
#include "models/sm/kernel.hpp"

namespace tcsim::sm {

/// What a sub-core's cycle was spent on. A cycle without an issue is charged to the constraint that lifted last for
/// the warp that issues next: with that one gone earlier, the instruction would have issued earlier.
enum class CycleReason : std::uint8_t {
  kIssued,
  kDependenceFixed,
  kDependenceShared,
  kDependenceGlobal,
  kCopyWait,
  kTensorPipeBusy,
  kOtherPipeBusy,
  kRegisterPort,
  kMemoryQueueFull,
  kBarrier,
  kInstructionFetch,
  kLaunch,
  kNoWarp,
  kCount,
};
inline constexpr int kCycleReasonCount = static_cast<int>(CycleReason::kCount);

/// Copy groups of LDGSTS (cp.async): at most this many may be open or incomplete per warp.
inline constexpr int kMaxCopyGroups = 64;

/// A resident warp.
struct Warp {
  const DecodedProgram* program = nullptr;
  int pc = 0;
  int slot = 0;                  ///< hardware warp id; sub-core = slot modulo sub-cores
  int cta_slot = 0;
  std::uint64_t age = 0;         ///< grows with the start order
  std::uint32_t lanes = ~std::uint32_t{0};  ///< bit per lane that has not passed an EXIT
  bool resident = false;
  bool exiting = false;          ///< EXIT has issued; the warp leaves when nothing is under way for it

  Cycle stall_until = 0;         ///< earliest issue by stall counts and barriers passed
  CycleReason stall_reason = CycleReason::kDependenceFixed;  ///< what set `stall_until`
  Cycle ready = 0;               ///< earliest issue by stalls, counters and barriers; kNever while one of them waits
  CycleReason ready_reason = CycleReason::kNoWarp;  ///< what set `ready`

  std::array<std::uint8_t, isa::kDependenceCounters> counters{};
  std::uint8_t counters_busy = 0;  ///< bit i: counters[i] != 0
  bool at_barrier = false;

  std::int32_t copy_group = 0;     ///< the open group's number
  std::int32_t oldest_copy_group = 0;  ///< all groups before it are complete
  std::array<std::uint16_t, kMaxCopyGroups> copies_under_way{};  ///< by group number modulo kMaxCopyGroups

  isa::Bindings bindings{};        ///< CTA, warp and loop variables
  std::vector<std::int64_t> fixed_values;
  std::vector<std::int64_t> trips; ///< per loop

  const DecodedInstruction& next() const { return program->instructions[static_cast<std::size_t>(pc)]; }
};

}  // namespace tcsim::sm
