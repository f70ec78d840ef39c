#pragma once

#include <string>

namespace tcsim::trace {

/// The whole content of `path` ("-": standard input), unpacked if it is a Zstandard file (by its
/// first four bytes). Throws InputFileError if it cannot be read or is damaged, or larger than 4
/// GiB unpacked.
std::string read_text_file(const std::string& path);

/// Writes `text` to `path`, packed with Zstandard if the name ends in ".zst". An existing file is
/// replaced in one step. Throws files::IoError.
void write_text_file(const std::string& path, const std::string& text);

/// `text` as one Zstandard frame, and back. unpack throws InputFileError naming `file_name`.
std::string pack(const std::string& text);
std::string unpack(const std::string& bytes, const std::string& file_name);

}  // namespace tcsim::trace
