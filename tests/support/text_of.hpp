#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace tcsim::test {

/// All bytes of a file. Throws std::runtime_error if it cannot be opened.
inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path.string() + ": cannot read");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace tcsim::test
