#pragma once

#include "models/isa/scheduling/loop_map.hpp"

namespace tcsim::isa {

/// Sets the wait mask of every instruction of a program whose counters are assigned, correct on
/// every path through its loops.
void place_waits(WarpProgram& program, const LoopMap& loops);

}  // namespace tcsim::isa
