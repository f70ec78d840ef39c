#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/isa/launch.hpp"
#include "models/isa/name_text.hpp"
#include "sim/files/nearest.hpp"
#include "workloads/trace/program_tables.hpp"
#include "workloads/trace/tct_cursor.hpp"
#include "workloads/trace/tct_expression.hpp"

namespace tcsim::trace {

/// What an instruction line may refer to: its launch's buffers and size, its program's tables, the
/// loops around it.
struct LineContext {
  const isa::KernelLaunch& launch;
  VariableRanges ranges{};
  int raised_registers = 0;  ///< extra registers of a thread, from a USETMAXREG above
};

/// Reads a name as an index into `all`, buffers or tensor maps. Throws Mistake, which suggests a
/// similar name.
template <typename Named>
int take_index(Cursor& cursor, const std::vector<Named>& all, const char* what) {
  const int column = cursor.column();
  const std::string name = cursor.take_name(what);
  std::vector<std::string_view> names;
  for (const Named& each : all) {
    if (each.name == name) return static_cast<int>(&each - all.data());
    names.push_back(each.name);
  }
  throw Mistake{column, what,
                isa::name_text(name) + " is not declared" + files::did_you_mean(name, names)};
}

std::string register_text(isa::Register r);
/// Reads the first of `width` registers. Throws Mistake, also if the kernel lacks one of them.
isa::Register take_register(Cursor& cursor, const LineContext& context, int width);

/// The line of instruction `index`, without indentation. Requires a canonical launch and no BRA.
std::string instruction_text(const isa::KernelLaunch& launch, const isa::WarpProgram& program,
                             int index);

/// " sets=P0 uses=UR4,UR5": the uniform registers and predicates of `instruction`, or nothing.
std::string scalar_text(const isa::Instruction& instruction);

/// " {stall=4 wait=03 wr=2}" with the fields that are set, or "".
std::string control_text(const isa::ControlBits& control);
/// " @(...)" if the instruction has a guard, or "".
std::string instruction_guard_text(const isa::WarpProgram& program,
                                   const isa::Instruction& instruction);

/// Reads an instruction line whose first word is next. Throws Mistake.
isa::Instruction parse_instruction(Cursor& cursor, const LineContext& context,
                                   ProgramTables& tables);

/// Reads guard, control bits and the end of the line into `instruction`. Throws Mistake.
void parse_suffix(Cursor& cursor, const LineContext& context, ProgramTables& tables,
                  isa::Instruction& instruction);

}  // namespace tcsim::trace
