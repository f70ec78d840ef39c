#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "workloads/trace/canonical.hpp"
#include "workloads/trace/input_error.hpp"
#include "workloads/trace/tct.hpp"
#include "workloads/trace/tct_async.hpp"
#include "workloads/trace/tct_instruction.hpp"

namespace tcsim::trace {
namespace {

std::string hexadecimal(std::uint64_t value) {
  std::array<char, 16> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return "0x" + std::string(digits.data(), end);
}

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

/// Lines refer to buffers by name, so two with the same name could not be distinguished.
void check_names(const isa::KernelLaunch& launch) {
  std::set<std::string> names;
  for (const isa::Buffer& buffer : launch.buffers) {
    if (!names.insert(buffer.name).second) {
      throw InputError({"kernel " + launch.name + ": two buffers are called " +
                        name_text(buffer.name) + ", which the text form cannot tell apart"});
    }
  }
  names.clear();
  for (const isa::TensorMap& map : launch.tensor_maps)
    if (!names.insert(map.name).second)
      throw InputError({"kernel " + launch.name + ": two tensor maps are called " +
                        name_text(map.name) + ", which the text form cannot tell apart"});
}

std::string header_text(const isa::KernelLaunch& launch) {
  std::string text = "tct 1\nkernel " + name_text(launch.name) + "\ngrid";
  for (const std::int64_t extent : launch.grid) text += " " + std::to_string(extent);
  if (launch.cluster_size() > 1) {
    text += "\ncluster";
    for (const int ctas : launch.cluster) text += " " + std::to_string(ctas);
  }
  text += "\nwarps " + std::to_string(launch.warps_per_cta);
  text += "\nregisters " + std::to_string(launch.registers_per_thread);
  text += "\nshared " + std::to_string(launch.shared_bytes_per_cta) + "\n";
  for (const isa::Buffer& buffer : launch.buffers) {
    text += "buffer " + name_text(buffer.name) + (buffer.input ? " input" : " output") +
            (buffer.flags ? " flags" : "") + " base=" + hexadecimal(buffer.base_address) +
            " bytes=" + std::to_string(buffer.bytes) + "\n";
  }
  for (const isa::TensorMap& map : launch.tensor_maps) text += tensor_map_text(launch, map);
  return text;
}

void append_program(std::string& text, const isa::KernelLaunch& launch, int index) {
  const isa::WarpProgram& program = launch.programs[index];
  text += "\nprogram " + name_text(program.name) + " warps " + warps_text(launch, index) + "\n";
  for (std::size_t i = 0; i < program.uniforms.size(); ++i)
    text += "  uniform u" + std::to_string(i) + " = " + expression_text(program.uniforms[i]) + "\n";
  std::size_t next_loop = 0;
  int depth = 0;
  const auto indent = [&] { text.append(2 * (static_cast<std::size_t>(depth) + 1), ' '); };
  for (int i = 0; i < static_cast<int>(program.instructions.size()); ++i) {
    // Canonical loops are ordered by their first instructions, outer before inner.
    for (; next_loop < program.loops.size() && program.loops[next_loop].first == i; ++next_loop) {
      indent();
      text += "loop i" + std::to_string(depth) + " < " +
              expression_text(program.loops[next_loop].trips);
      if (const auto& until = program.loops[next_loop].until)
        text += " until " + expression_text(*until);
      if (const auto& numbers = program.loops[next_loop].numbers)
        text += " numbers " + std::to_string(*numbers);
      text += "\n";
      ++depth;
    }
    const isa::Instruction& instruction = program.instructions[i];
    if (instruction.opcode == isa::Opcode::kBra) {
      --depth;
      indent();
      text += "end" + scalar_text(instruction) + instruction_guard_text(program, instruction) +
              control_text(instruction.control) + "\n";
    } else {
      indent();
      text += instruction_text(launch, program, i) + "\n";
    }
  }
}

}  // namespace

std::string write_tct(const isa::KernelLaunch& launch) {
  check_names(launch);
  const isa::KernelLaunch written = canonical(launch);
  std::string text = header_text(written);
  for (int i = 0; i < static_cast<int>(written.programs.size()); ++i) {
    append_program(text, written, i);
  }
  return text;
}

}  // namespace tcsim::trace
