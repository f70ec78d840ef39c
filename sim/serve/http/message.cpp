#include "sim/serve/http/message.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

namespace tcsim::serve::http {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// "a%20b" as "a b"; nothing for a broken escape.
std::optional<std::string> decoded(std::string_view text) {
  constexpr int kHex = 16;
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      result += ' ';
    } else if (text[i] != '%') {
      result += text[i];
    } else {
      const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
      if (high < 0 || low < 0) return std::nullopt;
      result += static_cast<char>(high * kHex + low);
      i += 2;
    }
  }
  return result;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) >= ' ') result += c;
  }
  return result + '"';
}

}  // namespace

Reply refusal(int status, const std::string& message) {
  return {status, "{\"message\": " + quoted(message) + "}\n"};
}

bool split_target(const std::string& target, std::string& path,
                  std::map<std::string, std::string>& query) {
  const auto is_printable = [](char c) { return c > ' ' && c < '\x7f'; };
  if (!target.starts_with('/') || !std::ranges::all_of(target, is_printable)) return false;
  const std::size_t mark = target.find('?');
  path = target.substr(0, mark);
  std::string_view rest = target;
  rest.remove_prefix(mark == std::string::npos ? target.size() : mark + 1);
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    const std::size_t equals = std::min(part.find('='), part.size());
    const auto name = decoded(part.substr(0, equals));
    const auto value = decoded(part.substr(std::min(part.size(), equals + 1)));
    if (!name || !value) return false;
    query.emplace(*name, *value);
  }
  return true;
}

}  // namespace tcsim::serve::http
