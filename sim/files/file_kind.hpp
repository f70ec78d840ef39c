#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace tcsim::files {

/// The kinds of files that tcsim reads, each with an info().
enum class FileKind : std::uint8_t {
  kMachine,
  kLibrary,
  kSpec,
  kRequest,
  kNetwork,
  kList,
  kTable,
  kKernel,
  kRecording,
  kVectors,
  kModel,
  kTensor,
  kLab,
  kRun,
  kPlan,
  kInput,
  kSources,
};

constexpr std::size_t kFileKinds = static_cast<std::size_t>(FileKind::kSources) + 1;

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

/// The most that is read of anything but a regular file, whatever its kind, because its size is
/// unknown until it is in memory.
constexpr std::uint64_t kStreamBytes = 64 * kMebibyte;

/// A packed file that is unpacked while it is read may grow to kFreeBytes plus this many times its
/// own size; anything larger was made to fill a machine. Recorded traces pack 20 to 200 times.
constexpr std::uint64_t kMostUnpacking = 1000;
constexpr std::uint64_t kFreeBytes = 256 * kMebibyte;

/// What the reader accepts for a kind of file.
struct FileKindInfo {
  FileKind kind;
  std::string_view name;  ///< "machine file"; for messages and docs/files.md
  std::uint64_t bytes;    ///< limit after unpacking; kUnlimited: held a line at a time
  bool is_text;           ///< UTF-8 without NUL, or refused with the place of the bad byte
  bool is_unpacked;       ///< Zstandard, XZ and gzip, recognised by their first bytes, are unpacked
};

const FileKindInfo& info(FileKind kind);

/// "1 MiB", "2 GiB": whole units of 1024.
std::string size_text(std::uint64_t bytes);

}  // namespace tcsim::files
