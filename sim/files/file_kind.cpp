#include "sim/files/file_kind.hpp"

#include <algorithm>
#include <array>

namespace tcsim::files {
namespace {

constexpr std::uint64_t kGibibyte = 1024 * kMebibyte;

/// In the order of FileKind. The largest files of each kind that are shipped or documented have a
/// tenth of their limit or less.
constexpr std::array<FileKindInfo, kFileKinds> kKinds{{
    {FileKind::kMachine, "machine file", kMebibyte, true, false},
    {FileKind::kLibrary, "library file", kMebibyte, true, false},
    {FileKind::kSpec, "SPEC of a sweep", kMebibyte, true, false},
    {FileKind::kRequest, "request of a run", kMebibyte, true, false},
    {FileKind::kNetwork, "network file", 16 * kMebibyte, true, true},
    {FileKind::kList, "list of workloads or layers", 16 * kMebibyte, true, true},
    {FileKind::kTable, "table of results or published figures", 32 * kMebibyte, true, false},
    {FileKind::kKernel, "kernel (.tct)", 64 * kMebibyte, true, true},
    {FileKind::kRecording, "recorded trace (.traceg)", kUnlimited, true, true},
    {FileKind::kVectors, "vectors or tiles of mma", kUnlimited, true, true},
    {FileKind::kModel, "ONNX model", 2 * kGibibyte - 1, false, false},
    {FileKind::kTensor, "tensor (.npy)", 512 * kMebibyte, false, false},
    {FileKind::kLab, "file of a lab", kMebibyte, true, false},
    {FileKind::kRun, "file of a stored run or sweep", 64 * kMebibyte, true, false},
    {FileKind::kPlan, "plan of a sweep", 256 * kMebibyte, true, false},
    {FileKind::kInput, "input of a sweep", 2 * kGibibyte, false, false},
    {FileKind::kSources, "sources of measured times", kMebibyte, true, false},
}};

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < kKinds.size(); ++i)
    if (static_cast<std::size_t>(kKinds[i].kind) != i) return false;
  return true;
}
static_assert(is_in_order());

}  // namespace

const FileKindInfo& info(FileKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

std::string size_text(std::uint64_t bytes) {
  constexpr std::array kUnits{" bytes", " KiB", " MiB", " GiB", " TiB"};
  std::size_t unit = 0;
  while (unit + 1 < kUnits.size() && bytes >= 1024) {
    bytes = bytes / 1024 + (bytes % 1024 != 0 ? 1 : 0);
    ++unit;
  }
  return std::to_string(bytes) + kUnits[unit];
}

}  // namespace tcsim::files
