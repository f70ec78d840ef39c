#include "models/isa/name_text.hpp"

#include <algorithm>

namespace tcsim::isa {

bool begins_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool continues_word(char c) { return begins_word(c) || (c >= '0' && c <= '9') || c == '.'; }

bool is_word(std::string_view text) {
  return !text.empty() && begins_word(text[0]) && std::ranges::all_of(text, continues_word);
}

std::string hex_pair(std::uint8_t byte) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  return {kDigits[byte >> 4], kDigits[byte & 15]};
}

std::string name_text(std::string_view name) {
  if (is_word(name)) return std::string(name);
  std::string text = "\"";
  for (const char c : name) {
    const bool is_printable = c >= ' ' && c <= '~';
    if (c == '"' || c == '\\') text += '\\';
    text += is_printable ? std::string(1, c) : "\\x" + hex_pair(static_cast<unsigned char>(c));
  }
  return text + '"';
}

}  // namespace tcsim::isa
