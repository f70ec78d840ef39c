#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace tcsim::traceg {

/// Accepts bytes in order.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual void write(std::string_view bytes) = 0;
  /// Writes the buffered bytes. Must be the last call.
  virtual void finish() = 0;
};

/// The new content of the file at `path`, packed if the name ends in .zst or .xz; the file exists
/// once finished. All functions throw IoError.
std::unique_ptr<ByteSink> create_file(const std::string& path);

}  // namespace tcsim::traceg
