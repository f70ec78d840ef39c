#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/isa/expression.hpp"
#include "models/isa/program.hpp"
#include "models/sm/kernel.hpp"
#include "models/sm/recorded_cursor.hpp"

namespace tcsim::sm {

/// What a sub-core's cycle was spent on. One without an issue is a pipe's if that pipe was taken in
/// it and the instruction that issues next needs it (for a NOP or BRA, what its stall is planned
/// for), or, of the tensor pipe, if a warp that was ready needs it: with a faster pipe the cycle
/// would not be there. Any other is charged to the constraint that lifted last for the warp that
/// issues next: with that one gone earlier, the instruction would have issued earlier.
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
  kConstant,
  kLaunch,
  kNoWarp,
  kCount,
};
inline constexpr int kCycleReasonCount = static_cast<int>(CycleReason::kCount);

/// What a warp waits for that is rare.
enum class Hold : std::uint8_t {
  kNone,
  kConstant,  ///< an operand of its next instruction comes from L2
  kFence,     ///< behind a MEMBAR, for the answers to writes
};

/// Copy groups of LDGSTS (cp.async): at most this many may be open or incomplete per warp.
inline constexpr int kMaxCopyGroups = 64;

/// A resident warp. What the issue stage reads every time lies in the first 64 bytes.
struct alignas(64) Warp {
  Cycle ready =
      0;  ///< earliest issue by stalls, counters and barriers; kNever while one of them waits
  const DecodedInstruction* next_instruction = nullptr;
  Cycle stall_until = 0;  ///< earliest issue by stall counts and barriers passed
  CycleReason stall_reason = CycleReason::kDependenceFixed;  ///< what set `stall_until`
  CycleReason ready_reason = CycleReason::kNoWarp;           ///< what set `ready`
  std::uint8_t counters_busy = 0;                            ///< bit i: counters[i] != 0
  std::array<std::uint16_t, isa::kDependenceCounters> counters{};
  std::int32_t copy_group = 0;         ///< the open group's number
  std::int32_t oldest_copy_group = 0;  ///< all groups before it are complete
  std::uint8_t slot = 0;               ///< hardware warp id
  std::uint8_t sub_core = 0;           ///< slot modulo sub-cores
  std::uint16_t cta_slot = 0;
  bool waits_for_code = false;  ///< its next instruction, or its start
  bool at_barrier = false;
  Hold hold = Hold::kNone;
  bool resident = false;
  std::uint32_t lanes = kAllLanes;  ///< that have not exited
  bool exiting = false;  ///< EXIT has issued; the warp leaves when nothing is under way for it

  const DecodedProgram* program = nullptr;
  std::unique_ptr<RecordedCursor> recorded;  ///< where a warp of a recording is; else empty
  Cycle tensor_again =
      0;                  ///< earliest issue of the warp's next MMA, as far as its last one decides
  std::uint64_t age = 0;  ///< grows with the start order
  isa::Bindings bindings{};  ///< CTA, warp, loop and uniform variables
  std::uint32_t flag = 0;    ///< the word of a flag buffer that it has loaded last
  std::vector<std::int64_t> fixed_values;
  std::vector<std::int64_t> trips;  ///< per loop
  std::array<std::uint16_t, kMaxCopyGroups>
      copies_under_way{};  ///< by group number modulo kMaxCopyGroups

  /// Sets the uniforms, and the trips of all loops, as the outermost loop's counter has them.
  void count_trips() {
    isa::bind_uniforms(program->uniforms, bindings);
    trips.clear();
    for (const DecodedLoop& loop : program->loops)
      trips.push_back(isa::evaluate(loop.trips, bindings));
  }

  const DecodedInstruction& next() const { return *next_instruction; }
  /// Number of the next instruction in the program.
  int pc() const { return static_cast<int>(next_instruction - program->instructions.data()); }
};

}  // namespace tcsim::sm
