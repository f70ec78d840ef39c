#pragma once

#include <filesystem>
#include <string_view>

#include "sim/files/io_error.hpp"

namespace tcsim::files {

/// Replaces `path` by `text` in one step: writes a neighbour and renames it, so that a reader sees
/// the old file or the new one, never a part. Throws IoError; then `path` is untouched and the
/// neighbour is gone.
void write_atomically(const std::filesystem::path& path, std::string_view text);

}  // namespace tcsim::files
