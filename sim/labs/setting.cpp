#include "sim/labs/setting.hpp"

#include <algorithm>
#include <string_view>

#include "sim/files/utf8.hpp"

namespace tcsim::labs {
namespace {

bool is_allowed(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("._=+-").find(c) != std::string_view::npos;
}

}  // namespace

std::optional<std::string> setting_of(const std::string& text) {
  constexpr std::size_t kMostCharacters = 200;
  const std::string_view unmarked = files::without_byte_order_mark(text);
  std::string line(unmarked.substr(0, unmarked.find_first_of("\r\n")));
  line.erase(line.find_last_not_of(" \t") + 1);
  const std::size_t equals = line.find('=');
  const bool is_setting = equals != std::string::npos && equals > 0 && equals + 1 < line.size() &&
                          line.size() <= kMostCharacters &&
                          line.find('=', equals + 1) == std::string::npos && line.front() >= 'a' &&
                          line.front() <= 'z' && std::ranges::all_of(line, is_allowed);
  if (!is_setting) return std::nullopt;
  return line;
}

}  // namespace tcsim::labs
