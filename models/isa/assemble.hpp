#pragma once

#include "models/isa/program.hpp"
#include "models/isa/timing.hpp"

namespace tcsim::isa {

/// Sets the control bits of every instruction of `program` for a machine with `timing`, as a
/// compiler would: stall counts that cover fixed latencies (fillers are inserted where more than 15
/// cycles are needed), dependence counters and wait masks for variable-latency producers, also
/// around loop back edges, and the reuse bits of operands that the next
/// instruction reads again. Requires a valid program whose opcodes the machine supports.
void assemble(WarpProgram& program, const TimingTable& timing);

/// True if every instruction has a stall count, as behind assemble().
bool is_assembled(const WarpProgram& program);

}  // namespace tcsim::isa
