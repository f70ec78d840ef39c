#include "workloads/trace/program_lines.hpp"

#include "models/isa/name_text.hpp"
#include "workloads/trace/canonical.hpp"
#include "workloads/trace/tct_instruction.hpp"

namespace tcsim::trace {
namespace {

/// "0-3,6" for the warps that run program `program`, or "none".
std::string warps_text(const isa::KernelLaunch& launch, int program) {
  const std::vector<int>& programs = launch.program_of_warp;
  std::string text;
  for (std::size_t first = 0; first < programs.size(); ++first) {
    if (programs[first] != program) continue;
    std::size_t last = first;
    while (last + 1 < programs.size() && programs[last + 1] == program) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(first);
    if (last > first) text += "-" + std::to_string(last);
    first = last;
  }
  return text.empty() ? "none" : text;
}

/// What follows the first word of the end of a loop.
std::string branch_text(const isa::WarpProgram& program, const isa::Instruction& branch) {
  return scalar_text(branch) + instruction_guard_text(program, branch) +
         control_text(branch.control);
}

std::string loop_text(const isa::Loop& loop, int depth) {
  std::string text = "loop i" + std::to_string(depth) + " < " + expression_text(loop.trips);
  if (loop.until) text += " until " + expression_text(*loop.until);
  if (loop.numbers) text += " numbers " + std::to_string(*loop.numbers);
  return text;
}

}  // namespace

std::string program_heading(const isa::KernelLaunch& launch, int index) {
  return "program " + isa::name_text(launch.programs[static_cast<std::size_t>(index)].name) +
         " warps " + warps_text(launch, index);
}

std::vector<ProgramLine> program_lines(const isa::KernelLaunch& launch, int index) {
  const isa::WarpProgram& program = launch.programs[static_cast<std::size_t>(index)];
  std::vector<ProgramLine> lines;
  for (std::size_t i = 0; i < program.uniforms.size(); ++i)
    lines.push_back(
        {.text = "uniform u" + std::to_string(i) + " = " + expression_text(program.uniforms[i])});
  std::size_t next_loop = 0;
  int depth = 0;
  for (int i = 0; i < static_cast<int>(program.instructions.size()); ++i) {
    // Canonical loops are ordered by their first instructions, outer before inner.
    for (; next_loop < program.loops.size() && program.loops[next_loop].first == i; ++next_loop) {
      lines.push_back({.depth = depth, .text = loop_text(program.loops[next_loop], depth)});
      ++depth;
    }
    const isa::Instruction& instruction = program.instructions[static_cast<std::size_t>(i)];
    if (instruction.opcode == isa::Opcode::kBra) {
      --depth;
      lines.push_back({i, depth, "end" + branch_text(program, instruction)});
    } else {
      lines.push_back({i, depth, instruction_text(launch, program, i)});
    }
  }
  return lines;
}

std::vector<std::vector<std::string>> instruction_texts(const isa::KernelLaunch& launch) {
  const isa::KernelLaunch written = canonical(launch);
  std::vector<std::vector<std::string>> texts;
  for (const isa::WarpProgram& program : written.programs) {
    std::vector<std::string>& of_program = texts.emplace_back();
    for (int i = 0; i < static_cast<int>(program.instructions.size()); ++i) {
      const isa::Instruction& instruction = program.instructions[static_cast<std::size_t>(i)];
      of_program.push_back(instruction.opcode == isa::Opcode::kBra
                               ? "BRA" + branch_text(program, instruction)
                               : instruction_text(written, program, i));
    }
  }
  return texts;
}

}  // namespace tcsim::trace
