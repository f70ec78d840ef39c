#pragma once

#include <string>
#include <vector>

namespace tcsim::mma {

/// Lines of a text file, plain or gzipped, without their line ends (LF or CRLF). Throws InputError
/// kUnreadable when the file cannot be opened, read or unpacked.
std::vector<std::string> read_lines(const std::string& path);

}  // namespace tcsim::mma
