#pragma once

#include <algorithm>
#include <string>

namespace tcsim::text {

/// `word` with spaces in the place of its underscores.
inline std::string spaced(std::string word) {
  std::ranges::replace(word, '_', ' ');
  return word;
}

}  // namespace tcsim::text
