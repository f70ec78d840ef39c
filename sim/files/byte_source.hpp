#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "sim/errors/errors.hpp"
#include "sim/files/file_kind.hpp"

namespace tcsim::files {

/// Bytes in order, as many at a time as the reader likes.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills the front of `bytes` and returns how much of it; 0: the end. Throws IoError.
  virtual std::size_t read(std::span<char> bytes) = 0;
  /// Bytes that are likely to come in all; 0: not known. At most the limit of the kind.
  [[nodiscard]] virtual std::size_t size_hint() const { return 0; }
};

/// The file at `path` ("-": standard input) within the limits of its kind, unpacked if the kind is
/// and the file starts as a Zstandard, XZ or gzip file does. A regular file is refused by its size
/// before it is read; a pipe, a terminal or a device is read as the stream that it is. Holds a few
/// hundred KiB, and what its decoder needs, at most 128 MiB. Throws IoError, from reading too.
std::unique_ptr<ByteSource> open_file(const std::filesystem::path& path, FileKind kind);

/// The same of an open descriptor, which the source closes; `name` is for messages.
std::unique_ptr<ByteSource> open_descriptor(int descriptor, const std::string& name, FileKind kind);

/// The same of bytes in memory.
std::unique_ptr<ByteSource> open_bytes(std::string bytes, const std::string& name, FileKind kind);

}  // namespace tcsim::files
