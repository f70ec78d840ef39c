#pragma once

#include <vector>

#include "models/isa/cycle.hpp"
#include "models/isa/scheduling/loop_map.hpp"
#include "models/isa/scheduling/outstanding_events.hpp"
#include "models/isa/timing.hpp"

namespace tcsim::isa {

/// The first instruction that waits for an event, if each event could be waited for alone.
struct EventUse {
  int position = kNoIndex;    ///< the waiting instruction; kNoIndex: none, no counter is needed
  Cycle distance = kNever;    ///< planned cycles from the event's issue to that wait
  int carried_by = kNoIndex;  ///< the loop whose back edge is in between; kNoIndex: none

  [[nodiscard]] bool is_waited_for() const { return position != kNoIndex; }
};

/// The cycle at which each instruction would issue if the warp ran alone, every loop ran once and
/// nothing waited; has one more entry than there are instructions. Used only to weigh choices,
/// never for correctness.
std::vector<Cycle> planned_cycles(const WarpProgram& program, const TimingTable& timing);

/// The use of every event of `program`, indexed by Event.
std::vector<EventUse> find_event_uses(const WarpProgram& program, const LoopMap& loops,
                                      const std::vector<Cycle>& planned);

}  // namespace tcsim::isa
