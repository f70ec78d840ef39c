#pragma once

#include <string>
#include <vector>

#include "models/isa/program.hpp"
#include "models/isa/timing.hpp"

namespace tcsim::isa {

/// Walks `program` like the hardware, every loop `trips` times, in the worst case: instructions
/// issue as early as their control bits allow, a queued operation ends only when something waits
/// for its counter, and a wait ends at once. Returns one sentence per operand that is accessed too
/// early and per malformed control field. Written without the assembler's own code, so that the two
/// can disagree.
std::vector<std::string> check_schedule(const WarpProgram& program, const TimingTable& timing,
                                        int trips);

}  // namespace tcsim::isa
