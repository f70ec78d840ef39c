#pragma once

#include <memory>
#include <span>
#include <string>

namespace tcsim::traceg {

/// Bytes in order, as many at a time as the reader likes.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills the front of `bytes` and returns how much of it; 0: the end. Throws InputFileError.
  virtual std::size_t read(std::span<char> bytes) = 0;
};

/// The file at `path` ("-": standard input), unpacked if it starts as a Zstandard or XZ file does.
/// Holds a few hundred KiB of it, and what its decoder needs. Throws InputFileError.
std::unique_ptr<ByteSource> open_file(const std::string& path);

/// The same of bytes in memory; `name` is for messages.
std::unique_ptr<ByteSource> open_bytes(std::string bytes, const std::string& name);

}  // namespace tcsim::traceg
