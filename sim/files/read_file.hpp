#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sim/files/byte_source.hpp"
#include "sim/files/content_error.hpp"

namespace tcsim::files {

// The only ways in which files are read into memory (docs/files.md). Every kind has a limit; see
// file_kind.hpp and byte_source.hpp.

/// All bytes of the file at `path` ("-": standard input). Throws IoError, `path: cannot read:
/// reason`, if it cannot be opened or read or is larger than its kind allows.
std::vector<std::uint8_t> read_bytes(const std::filesystem::path& path, FileKind kind);

/// The same as a string; text is checked. Also throws ContentError, `path:line:column: reason`.
std::string read_file(const std::filesystem::path& path, FileKind kind);

/// The same for an open source.
std::string read_source(ByteSource& source, const std::string& name, FileKind kind);

/// Throws ContentError, `name:line:column: reason`, unless all of `text` is UTF-8 without NUL.
void require_text(std::string_view text, const std::string& name);

}  // namespace tcsim::files
