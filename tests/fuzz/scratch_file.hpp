#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "tests/support/temporary_directory.hpp"

namespace tcsim::fuzz {

/// A folder for readers that take a path, one for the whole process.
inline const std::filesystem::path& scratch_folder() {
  static const test::TemporaryDirectory folder;
  return folder.path();
}

inline std::filesystem::path write_scratch(const std::filesystem::path& name,
                                           std::string_view text) {
  const std::filesystem::path path = scratch_folder() / name;
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
  return path;
}

}  // namespace tcsim::fuzz
