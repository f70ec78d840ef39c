#pragma once

#include "models/isa/launch.hpp"
#include "models/isa/timing.hpp"

namespace tcsim::isa {

/// Sets the control bits of the program of a recorded launch, which a recording lacks. Works like
/// `assemble`, with loops where warps jumped back. Nothing that a jump skips is relied on: its
/// target waits for everything that the skipped instructions would have waited for. NOPs that
/// `assemble` inserts become part of the stall of the instruction before, which may then exceed 15.
/// Requires a recording and opcodes that the machine supports.
void assemble_recording(KernelLaunch& launch, const TimingTable& timing);

/// Nested ranges, as `WarpProgram::loops` requires, around the backward jumps from instruction
/// `first` of a pair to `second`; forward pairs are ignored. Ranges that cross are merged.
std::vector<Loop> loops_of(const std::vector<std::pair<int, int>>& jumps);

}  // namespace tcsim::isa
