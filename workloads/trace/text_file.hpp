#pragma once

#include <string>

namespace tcsim::trace {

/// Writes `text` to `path`, packed with Zstandard if the name ends in ".zst". An existing file is
/// replaced in one step. Throws IoError.
void write_text_file(const std::string& path, const std::string& text);

}  // namespace tcsim::trace
