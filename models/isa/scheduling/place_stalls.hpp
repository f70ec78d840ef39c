#pragma once

#include "models/isa/scheduling/loop_map.hpp"
#include "models/isa/timing.hpp"

namespace tcsim::isa {

inline constexpr int kMaxStall = 15;

/// Sets the stall count of every instruction of a program whose counters and waits are set. No
/// instruction then issues before the fixed-latency results that it needs, or before the counters
/// that it waits for have been incremented. A consumer waits only as long as its own inputs
/// require. NOPs are inserted where one field is too small.
void place_stalls(WarpProgram& program, const LoopMap& loops, const TimingTable& timing);

}  // namespace tcsim::isa
