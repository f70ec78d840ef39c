#pragma once

#include "models/isa/launch.hpp"
#include "models/isa/timing.hpp"

namespace tcsim::isa {

/// Sets the control bits of the program of a recorded launch, which a recording lacks, as
/// `assemble` does, with loops where warps jumped back. What a jump skips is not relied on: its
/// target waits for all that the skipped instructions would have waited for. Fillers that
/// `assemble` inserts become part of the stall of the instruction before, which may so exceed 15.
/// Requires a recording and opcodes that the machine supports.
void assemble_recording(KernelLaunch& launch, const TimingTable& timing);

/// Ranges that nest, as `WarpProgram::loops` wants them, round jumps from instruction `first` of a
/// pair back to `second`; pairs that jump ahead do not count. Ranges that cross become one.
std::vector<Loop> loops_of(const std::vector<std::pair<int, int>>& jumps);

}  // namespace tcsim::isa
