#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tcsim::traceg {

/// A file without a name in the folder for temporary files, TMPDIR or /tmp, removed with the
/// object. Written from front to back; what has been flushed can be read anywhere.
class TemporaryFile {
 public:
  /// Throws IoError.
  TemporaryFile();
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  [[nodiscard]] std::uint64_t size() const { return written_ + buffer_.size(); }
  void append(std::span<const std::byte> bytes);
  /// Writes what `append` has buffered.
  void flush();
  /// Reads from `offset` on as many bytes as fit or have been flushed.
  std::size_t read(std::uint64_t offset, std::span<std::byte> bytes) const;

 private:
  int descriptor_;
  std::uint64_t written_ = 0;
  std::vector<std::byte> buffer_;
};

}  // namespace tcsim::traceg
