#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "models/isa/launch.hpp"

namespace tcsim::trace {

/// A set of variables; the counter of the outermost loop also stands for running sums, which change
/// with it.
using Variables = std::array<bool, isa::kVariableCount>;

inline bool has(const Variables& variables, isa::Variable variable) {
  return variables[static_cast<std::size_t>(variable)];
}

/// The variables on which iteration counts of `program` depend.
Variables variables_of_trips(const isa::WarpProgram& program);

/// The variables on which what `instruction` copies depends. Requires copies_tile.
Variables variables_of_copy(const isa::WarpProgram& program, const isa::Instruction& instruction);

/// True if what instructions of `program` copy depends on `variable`, one of the CTA's variables.
bool copies_depend_on(const isa::WarpProgram& program, isa::Variable variable);

/// True if how often instructions of `program` run, or what they copy, depends on `variable`, one
/// of the CTA's variables.
bool depends_on(const isa::WarpProgram& program, isa::Variable variable);

/// Places of variables, uniforms as they are in the first iteration, from which all counts of a
/// warp of `program` follow: heads and batches often repeat the same few values.
std::vector<std::size_t> deciding_places(const isa::WarpProgram& program);

/// The guard of `instruction`, which all lanes pass where it has none.
const isa::Guard& guard_of(const isa::WarpProgram& program, const isa::Instruction& instruction);

}  // namespace tcsim::trace
