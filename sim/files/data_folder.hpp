#pragma once

#include <filesystem>
#include <string_view>

namespace tcsim::files {

/// A folder of data that tcsim ships, named as in the source tree ("configs", "tests/validation"):
/// that of the source tree if it is there, else share/tcsim/LAST_ELEMENT beside the folder of the
/// program, or of libtcsim.
std::filesystem::path data_folder(std::string_view name);

}  // namespace tcsim::files
