#pragma once

#include <algorithm>
#include <cctype>
#include <string>

namespace tcsim::text {

/// `text` with its letters A to Z in lower case.
inline std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

}  // namespace tcsim::text
