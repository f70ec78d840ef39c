#include <algorithm>
#include <array>
#include <string_view>

#include "sim/files/read_file.hpp"
#include "workloads/trace/input_error.hpp"
#include "workloads/trace/tct.hpp"
#include "workloads/trace/text_file.hpp"

namespace tcsim::trace {
namespace {

/// True if `text` begins like a kernel of the Accel-Sim tracer or like a list of them.
bool is_recorded(std::string_view text) {
  constexpr std::array kFronts{"-kernel name", "Memcpy", "kernel-"};
  return std::ranges::any_of(kFronts, [&](auto front) { return text.starts_with(front); });
}

}  // namespace

isa::KernelLaunch load_tct(const std::string& path) {
  const std::string text = files::read_file(path, files::FileKind::kKernel);
  if (is_recorded(text))
    throw InputError({path +
                      ":1:1: file: a recorded trace: its name must end in .traceg, after the "
                      "tracer's post-processing, or in .g if it is a list"});
  return read_tct(text, path);
}

void save_tct(const isa::KernelLaunch& launch, const std::string& path) {
  write_text_file(path, write_tct(launch));
}

}  // namespace tcsim::trace
