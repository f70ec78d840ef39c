#pragma once

#include <cstdint>

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

}  // namespace tcsim::sm
