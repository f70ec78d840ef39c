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

int first_without_stall(const WarpProgram& program) {
  const auto found = std::ranges::find_if(program.instructions, [](const Instruction& i) {
    return i.control.stall == 0 && i.opcode != Opcode::kExit;
  });
  return found == program.instructions.end()
             ? kNoIndex
             : static_cast<int>(found - program.instructions.begin());
}

bool is_half_assembled(const WarpProgram& program) {
  const bool has_stalls = std::ranges::any_of(
      program.instructions, [](const Instruction& i) { return i.control.stall > 0; });
  return has_stalls && !is_assembled(program);
}

}  // namespace tcsim::isa
