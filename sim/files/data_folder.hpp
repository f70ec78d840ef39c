#pragma once

#include <filesystem>
#include <string_view>

namespace tcsim::files {

/// A data folder that tcsim ships, named as in the source tree ("configs", "tests/validation"): the
/// one of the source tree if it exists, else share/tcsim/LAST_ELEMENT next to the folder of the
/// program, or of libtcsim.
std::filesystem::path data_folder(std::string_view name);

}  // namespace tcsim::files
