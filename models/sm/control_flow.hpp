#pragma once

#include <cstdint>

#include "models/sm/warp.hpp"

namespace tcsim::sm {

/// `advance` of branches, and of warps of a recording.
bool advance_elsewhere(Warp& warp, const DecodedInstruction& issued);

/// Moves `warp` behind `issued`, the instruction that it has issued; loops are the only branches of
/// programs. True if it does not go on with the one that follows in the program, or issued a
/// branch.
inline bool advance(Warp& warp, const DecodedInstruction& issued) {
  if (isa::is_branch(issued.effect) || warp.recorded) return advance_elsewhere(warp, issued);
  ++warp.next_instruction;
  return false;
}

/// `active_lanes` where more than the lanes that have not exited tells.
std::uint32_t guarded_lanes(const Warp& warp, const DecodedInstruction& instruction);

/// Lanes that take part in `instruction`, the next one of `warp`, bit per lane. Of a copy only
/// those that read: writing zeros costs no time (assumption).
inline std::uint32_t active_lanes(const Warp& warp, const DecodedInstruction& instruction) {
  const bool has_guards =
      instruction.guard != isa::kNoIndex || instruction.effect == isa::Effect::kCopyGlobalToShared;
  return has_guards || warp.recorded ? guarded_lanes(warp, instruction) : warp.lanes;
}

}  // namespace tcsim::sm
