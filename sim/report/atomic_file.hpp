#pragma once

#include <filesystem>
#include <stdexcept>
#include <string_view>

namespace tcsim::report {

/// A file or directory that could not be read or written; the message names it and the system's
/// reason. Status 5.
class IoError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Replaces `path` by `text` in one step: writes a neighbour and renames it, so that a reader sees
/// the old file or the new one, never a part. Throws IoError; then `path` is untouched and the
/// neighbour is gone.
void write_atomically(const std::filesystem::path& path, std::string_view text);

}  // namespace tcsim::report
