#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "sim/errors/errors.hpp"
#include "sim/files/file_kind.hpp"

namespace tcsim::files {

/// Bytes in order, as many at a time as the reader asks for.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills the front of `bytes` and returns the number of bytes; 0: the end. Throws IoError.
  virtual std::size_t read(std::span<char> bytes) = 0;
  /// The expected total number of bytes; 0: unknown. At most the limit of the kind.
  [[nodiscard]] virtual std::size_t size_hint() const { return 0; }
};

/// The file at `path` ("-": standard input) within the limits of its kind. It is unpacked if the
/// kind allows it and the file starts like a Zstandard, XZ or gzip file. A regular file that is too
/// large is refused before it is read; a pipe, a terminal or a device is read as a stream. Holds a
/// few hundred KiB, plus what its decoder needs, at most 128 MiB. Throws IoError, also while
/// reading.
std::unique_ptr<ByteSource> open_file(const std::filesystem::path& path, FileKind kind);

/// The same for an open descriptor, which the source closes; `name` is for messages.
std::unique_ptr<ByteSource> open_descriptor(int descriptor, const std::string& name, FileKind kind);

}  // namespace tcsim::files
