#pragma once

#include <cstdint>

#include "models/sm/warp.hpp"

namespace tcsim::sm {

/// The part of `advance` for branches and for warps of a recording.
bool advance_elsewhere(Warp& warp, const DecodedInstruction& issued);

/// Moves `warp` past `issued`, the instruction that it has just issued. Loops are the only branches
/// of programs. True if the next instruction is not the following one in the program, or if
/// `issued` is a branch.
inline bool advance(Warp& warp, const DecodedInstruction& issued) {
  if (isa::is_branch(issued.effect) || warp.recorded) return advance_elsewhere(warp, issued);
  ++warp.next_instruction;
  return false;
}

/// The part of `active_lanes` for instructions whose lanes depend on more than which lanes have
/// exited.
std::uint32_t guarded_lanes(const Warp& warp, const DecodedInstruction& instruction);

/// Lanes that take part in `instruction`, the next one of `warp`, bit per lane. For a copy, only
/// the lanes that read: writing zeros takes no time (assumption).
inline std::uint32_t active_lanes(const Warp& warp, const DecodedInstruction& instruction) {
  const bool has_guards =
      instruction.guard != isa::kNoIndex || instruction.effect == isa::Effect::kCopyGlobalToShared;
  return has_guards || warp.recorded ? guarded_lanes(warp, instruction) : warp.lanes;
}

}  // namespace tcsim::sm
