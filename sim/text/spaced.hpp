#pragma once

#include <algorithm>
#include <string>

namespace tcsim::text {

/// `word` with its underscores replaced by spaces.
inline std::string spaced(std::string word) {
  std::ranges::replace(word, '_', ' ');
  return word;
}

}  // namespace tcsim::text
