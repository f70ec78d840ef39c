#include "models/isa/assemble.hpp"

#include <algorithm>

#include "models/isa/scheduling/assign_counters.hpp"
#include "models/isa/scheduling/loop_map.hpp"
#include "models/isa/scheduling/place_reuse.hpp"
#include "models/isa/scheduling/place_stalls.hpp"
#include "models/isa/scheduling/place_waits.hpp"

namespace tcsim::isa {

void assemble(WarpProgram& program, const TimingTable& timing) {
  const LoopMap loops(program);
  assign_counters(program, loops, timing);
  place_waits(program, loops);
  place_stalls(program, loops, timing);
  place_reuse(program);
}

bool is_assembled(const WarpProgram& program) {
  return std::ranges::all_of(program.instructions, [](const Instruction& instruction) {
    return instruction.control.stall > 0;
  });
}

}  // namespace tcsim::isa
