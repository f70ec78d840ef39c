#include "workloads/trace/count_variables.hpp"

#include <algorithm>
#include <variant>

#include "models/isa/any_variable.hpp"

namespace tcsim::trace {
namespace {

using isa::Variable;

const isa::RowOperand* row_of(const isa::AsyncOperands& operands) {
  const auto* const tile = std::get_if<isa::TileOperand>(&operands);
  return tile != nullptr && tile->row ? &*tile->row : nullptr;
}

void insert(Variables& variables, const isa::Expression& expression) {
  isa::any_variable(expression, [&](Variable used) {
    variables[static_cast<std::size_t>(used)] = true;
    return false;
  });
}

/// Adds to `variables` those on which its uniforms depend.
Variables with_uniforms(Variables variables, const std::vector<isa::Expression>& uniforms) {
  for (int number = static_cast<int>(uniforms.size()) - 1; number >= 0; --number) {
    const Variable uniform = isa::uniform_variable(number);
    if (!has(variables, uniform)) continue;
    isa::any_variable(uniforms[static_cast<std::size_t>(number)], [&](Variable used) {
      variables[static_cast<std::size_t>(used == uniform ? Variable::kLoop0 : used)] = true;
      return false;
    });
  }
  return variables;
}

/// Adds to `variables` those that say what `instruction` copies.
void insert_copy(Variables& variables, const isa::WarpProgram& program,
                 const isa::Instruction& instruction) {
  const isa::RowOperand* const row =
      row_of(program.async[static_cast<std::size_t>(instruction.access)]);
  if (row != nullptr) insert(variables, row->bytes);
  for (const isa::Bound& bound : guard_of(program, instruction).bounds)
    insert(variables, bound.expression);
}

}  // namespace

Variables variables_of_trips(const isa::WarpProgram& program) {
  Variables variables{};
  for (const isa::Loop& loop : program.loops) insert(variables, loop.trips);
  return with_uniforms(variables, program.uniforms);
}

Variables variables_of_copy(const isa::WarpProgram& program, const isa::Instruction& instruction) {
  Variables variables{};
  insert_copy(variables, program, instruction);
  return with_uniforms(variables, program.uniforms);
}

std::vector<std::size_t> deciding_places(const isa::WarpProgram& program) {
  Variables deciding{};
  for (const isa::Loop& loop : program.loops) insert(deciding, loop.trips);
  for (const isa::Instruction& instruction : program.instructions)
    if (isa::copies_tile(isa::opcode_info(instruction.opcode).effect))
      insert_copy(deciding, program, instruction);
  // What a uniform that changes from one iteration to the next is computed from.
  for (int number = static_cast<int>(program.uniforms.size()) - 1; number >= 0; --number) {
    Variables changes{};
    changes[static_cast<std::size_t>(isa::uniform_variable(number))] = true;
    if (has(deciding, isa::uniform_variable(number)) &&
        has(with_uniforms(changes, program.uniforms), Variable::kLoop0))
      insert(deciding, program.uniforms[static_cast<std::size_t>(number)]);
  }
  std::vector<std::size_t> places;
  for (std::size_t place = 0; place < deciding.size(); ++place) {
    const bool is_counter =
        place >= isa::loop_place(0) && place < isa::loop_place(isa::kMaxLoopDepth);
    if (deciding[place] && !is_counter && place != static_cast<std::size_t>(Variable::kLane))
      places.push_back(place);
  }
  return places;
}

bool copies_depend_on(const isa::WarpProgram& program, Variable variable) {
  return std::ranges::any_of(program.instructions, [&](const isa::Instruction& instruction) {
    return isa::copies_tile(isa::opcode_info(instruction.opcode).effect) &&
           has(variables_of_copy(program, instruction), variable);
  });
}

bool depends_on(const isa::WarpProgram& program, Variable variable) {
  return has(variables_of_trips(program), variable) || copies_depend_on(program, variable);
}

const isa::Guard& guard_of(const isa::WarpProgram& program, const isa::Instruction& instruction) {
  static const isa::Guard open;
  return instruction.guard == isa::kNoIndex
             ? open
             : program.guards[static_cast<std::size_t>(instruction.guard)];
}

}  // namespace tcsim::trace
