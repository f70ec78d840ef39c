#pragma once

#include "models/isa/program.hpp"

namespace tcsim::isa {

/// Sets the reuse bits of every instruction of a program whose order is final. A source stays in
/// the register-file cache if the next instruction that reads registers in the issue window reads
/// the same one in the same operand position and nothing writes it in between (microarchitecture.md
/// 3.4). Control flow and MMAs end the search.
void place_reuse(WarpProgram& program);

}  // namespace tcsim::isa
