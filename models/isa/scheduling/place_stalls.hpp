#pragma once

#include "models/isa/scheduling/loop_map.hpp"
#include "models/isa/timing.hpp"

namespace tcsim::isa {

inline constexpr int kMaxStall = 15;

/// Sets the stall count of every instruction of a program whose counters and waits are set, so that
/// no instruction issues before the fixed-latency results it needs, or before the counters it waits
/// for have counted up. A consumer waits as little as its own inputs allow. NOPs are inserted where
/// one field is too small.
void place_stalls(WarpProgram& program, const LoopMap& loops, const TimingTable& timing);

}  // namespace tcsim::isa
