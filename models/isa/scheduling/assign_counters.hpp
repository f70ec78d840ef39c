#pragma once

#include "models/isa/scheduling/event_uses.hpp"

namespace tcsim::isa {

/// Sets write_counter and read_counter of every instruction: one of the six counters for each event
/// that some instruction waits for. Events that share a counter are waited for together, so the
/// choice avoids pairs where an instruction would wait for something it does not need.
void assign_counters(WarpProgram& program, const LoopMap& loops, const TimingTable& timing);

/// The counter that `event` of `program` uses, or ControlBits::kNoCounter.
std::uint8_t counter_of(const WarpProgram& program, Event event);

}  // namespace tcsim::isa
