#pragma once

#include <vector>

#include "sim/files/file_kind.hpp"

namespace tcsim::files {

/// What the reader accepts for each kind of file.
inline std::vector<FileKindInfo> every_kind() {
  std::vector<FileKindInfo> all;
  for (std::size_t i = 0; i < kFileKinds; ++i) all.push_back(info(static_cast<FileKind>(i)));
  return all;
}

}  // namespace tcsim::files
