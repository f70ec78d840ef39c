#include <algorithm>
#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "sim/files/byte_source.hpp"
#include "sim/files/read_file.hpp"
#include "workloads/trace/input_error.hpp"
#include "workloads/trace/tct.hpp"
#include "workloads/trace/text_file.hpp"

namespace tcsim::trace {
namespace {

/// With which kernels of the Accel-Sim tracer and lists of them begin.
constexpr std::array<std::string_view, 3> kRecordedFronts{"-kernel name", "Memcpy", "kernel-"};

/// The first characters of the file `path`, whatever its size; none of a stream, which can be read
/// only once.
std::string front_of(const std::string& path) {
  constexpr std::size_t kLongestFront = 16;
  std::error_code ignored;
  if (path == "-" || !std::filesystem::is_regular_file(path, ignored)) return "";
  const auto file = files::open_file(path, files::FileKind::kRecording);
  std::string front(kLongestFront, '\0');
  std::size_t used = 0;
  while (used < front.size()) {
    const std::size_t count = file->read(std::span(front).subspan(used));
    if (count == 0) break;
    used += count;
  }
  return front.substr(0, used);
}

/// Throws InputError if the file `path` begins like what the Accel-Sim tracer writes.
void refuse_recorded(std::string_view text, const std::string& path) {
  if (std::ranges::any_of(kRecordedFronts, [&](auto front) { return text.starts_with(front); }))
    throw InputError({path +
                      ":1:1: file: a recorded trace: its name must end in .traceg, after the "
                      "tracer's post-processing, or in .g if it is a list"});
}

}  // namespace

isa::KernelLaunch load_tct(const std::string& path) {
  refuse_recorded(front_of(path), path);  // recordings may be larger than kernels
  const std::string text = files::read_file(path, files::FileKind::kKernel);
  refuse_recorded(text, path);
  return read_tct(text, path);
}

void save_tct(const isa::KernelLaunch& launch, const std::string& path) {
  write_text_file(path, write_tct(launch));
}

}  // namespace tcsim::trace
