#pragma once

#include <filesystem>
#include <string>

namespace tcsim::run {

/// The revision that keys of kept results hold: that of git, and for one with local changes a hash
/// of the program too, because the same words may then stand for other models. Throws IoError.
std::string model_revision();

/// The name of this program in the folder of a sweep, relative to it; it ends in a hash of its
/// content. Throws IoError.
std::string this_program_name();

/// Copies this program into the folder at `path` unless it is there whole. Returns its name.
/// Throws IoError.
std::string copy_this_program(const std::filesystem::path& path);

}  // namespace tcsim::run
