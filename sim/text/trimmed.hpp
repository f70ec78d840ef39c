#pragma once

#include <string>
#include <string_view>

namespace tcsim::text {

/// `text` without blanks, tabs and carriage returns at its ends.
inline std::string trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(kBlank) - first + 1));
}

}  // namespace tcsim::text
