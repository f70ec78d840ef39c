#include <array>
#include <charconv>
#include <set>

#include "models/isa/name_text.hpp"
#include "workloads/trace/canonical.hpp"
#include "workloads/trace/input_error.hpp"
#include "workloads/trace/program_lines.hpp"
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

/// Lines refer to buffers by name, so two with the same name could not be distinguished.
void check_names(const isa::KernelLaunch& launch) {
  std::set<std::string> names;
  for (const isa::Buffer& buffer : launch.buffers) {
    if (!names.insert(buffer.name).second) {
      throw InputError({"kernel " + launch.name + ": two buffers are called " +
                        isa::name_text(buffer.name) + ", which the text form cannot tell apart"});
    }
  }
  names.clear();
  for (const isa::TensorMap& map : launch.tensor_maps)
    if (!names.insert(map.name).second)
      throw InputError({"kernel " + launch.name + ": two tensor maps are called " +
                        isa::name_text(map.name) + ", which the text form cannot tell apart"});
}

std::string header_text(const isa::KernelLaunch& launch) {
  std::string text = "tct 1\nkernel " + isa::name_text(launch.name) + "\ngrid";
  for (const std::int64_t extent : launch.grid) text += " " + std::to_string(extent);
  if (launch.cluster_size() > 1) {
    text += "\ncluster";
    for (const int ctas : launch.cluster) text += " " + std::to_string(ctas);
  }
  text += "\nwarps " + std::to_string(launch.warps_per_cta);
  text += "\nregisters " + std::to_string(launch.registers_per_thread);
  text += "\nshared " + std::to_string(launch.shared_bytes_per_cta) + "\n";
  for (const isa::Buffer& buffer : launch.buffers) {
    text += "buffer " + isa::name_text(buffer.name) + (buffer.input ? " input" : " output") +
            (buffer.flags ? " flags" : "") + (buffer.scratch ? " scratch" : "") +
            " base=" + hexadecimal(buffer.base_address) + " bytes=" + std::to_string(buffer.bytes) +
            (buffer.replaced ? " replaced=" + std::to_string(*buffer.replaced) : "") + "\n";
  }
  for (const isa::TensorMap& map : launch.tensor_maps) text += tensor_map_text(launch, map);
  return text;
}

void append_program(std::string& text, const isa::KernelLaunch& launch, int index) {
  text += "\n" + program_heading(launch, index) + "\n";
  for (const ProgramLine& line : program_lines(launch, index)) {
    text.append(2 * (static_cast<std::size_t>(line.depth) + 1), ' ');
    text += line.text + "\n";
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
