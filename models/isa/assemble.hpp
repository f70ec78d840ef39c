#pragma once

#include "models/isa/program.hpp"
#include "models/isa/timing.hpp"

namespace tcsim::isa {

/// Sets the control bits of every instruction of `program` for a machine with `timing`, as a
/// compiler would: stall counts that cover fixed latencies (NOPs are inserted if more than 15
/// cycles are needed); dependence counters and wait masks for variable-latency producers, also
/// across loop back edges; and the reuse bits of operands that the next instruction reads again.
/// Requires a valid program whose opcodes the machine supports.
void assemble(WarpProgram& program, const TimingTable& timing);

/// The first instruction of `program` without a stall count, ignoring EXITs, which need none;
/// kNoIndex if there is none.
int first_without_stall(const WarpProgram& program);
/// True if all instructions have one, as after assemble().
inline bool is_assembled(const WarpProgram& program) {
  return first_without_stall(program) == kNoIndex;
}
/// True if only some instructions have one.
bool is_half_assembled(const WarpProgram& program);

}  // namespace tcsim::isa
