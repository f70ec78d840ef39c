#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

namespace tcsim::files {

/// What tcsim reads files as. Each kind has a row in file_kinds().
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

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

/// Of what is no regular file, at most this much is read whatever its kind: nobody knows its size
/// before it is in memory.
constexpr std::uint64_t kStreamBytes = 64 * kMebibyte;

/// A packed file that is read as it unpacks may become kFreeBytes and this many times itself; what
/// becomes more was made to fill a machine. Recorded traces pack 20 to 200 times.
constexpr std::uint64_t kMostUnpacking = 1000;
constexpr std::uint64_t kFreeBytes = 256 * kMebibyte;

/// What the reader takes for a kind of file.
struct FileKindInfo {
  FileKind kind;
  std::string_view name;  ///< "machine file"; for messages and docs/files.md
  std::uint64_t bytes;    ///< at most, unpacked; kUnlimited: held a line at a time
  bool is_text;           ///< UTF-8 without NUL, or refused with its place
  bool is_unpacked;       ///< Zstandard, XZ and gzip are unpacked, known by their first bytes
};

std::span<const FileKindInfo> file_kinds();
const FileKindInfo& info(FileKind kind);

/// "1 MiB", "2 GiB": whole units of 1024.
std::string size_text(std::uint64_t bytes);

}  // namespace tcsim::files
