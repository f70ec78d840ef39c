#pragma once

#include <cstdint>

namespace tcsim::sm {

/// What a sub-core's cycle was spent on. A cycle without an issue is charged to a pipe if the pipe
/// was busy in it and the instruction that issues next needs it (for a NOP or BRA: the pipe for
/// which its stall is planned). For the tensor pipe it is enough that some ready warp needs it. A
/// faster pipe would remove such a cycle. Any other cycle is charged to the constraint that was
/// lifted last for the warp that issues next: had it been lifted earlier, the instruction would
/// have issued earlier.
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
  kDrain,
  kNoWarp,
  kCount,
};
inline constexpr int kCycleReasonCount = static_cast<int>(CycleReason::kCount);

}  // namespace tcsim::sm
