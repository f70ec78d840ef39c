#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "sim/files/io_error.hpp"

namespace tcsim::files {

/// All bytes of a file. Throws IoError, `path: reason`, if it cannot be opened or read.
std::vector<std::uint8_t> read_file(const std::filesystem::path& path);

}  // namespace tcsim::files
