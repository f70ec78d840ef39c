#pragma once

#include <filesystem>
#include <string>

namespace tcsim::sweep {

/// 12 digits of the hash of this program's content. Throws IoError.
std::string hash_of_this_program();

/// The name of this program in the folder of a sweep, relative to it; it ends in
/// hash_of_this_program. Throws IoError.
std::string this_program_name();

/// Copies this program into the folder at `path` unless it is there whole. Returns its name.
/// Throws IoError.
std::string copy_this_program(const std::filesystem::path& path);

}  // namespace tcsim::sweep
