#include "sim/files/shown_text.hpp"

#include <cstdint>

#include "sim/files/utf8.hpp"

namespace tcsim::files {
namespace {

bool is_control(std::string_view character) {
  const auto first = static_cast<std::uint8_t>(character.front());
  // U+0080 to U+009F are controls too.
  const bool is_c1 = first == 0xc2 && static_cast<std::uint8_t>(character[1]) < 0xa0;
  return first < ' ' || first == 0x7f || is_c1;
}

void append_escaped(std::string& text, std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const char c : bytes) {
    const auto byte = static_cast<std::uint8_t>(c);
    text += "\\x";
    text += kDigits[byte >> 4];
    text += kDigits[byte & 0xf];
  }
}

/// Bytes of the UTF-8 character at the front, or 0.
std::size_t character_bytes(std::string_view text) {
  for (std::size_t size = 1; size <= 4 && size <= text.size(); ++size)
    if (utf8_length(text.substr(0, size)) == size) return size;
  return 0;
}

}  // namespace

std::string shown_bare(std::string_view text, std::size_t most) {
  std::string result;
  for (std::size_t count = 0; !text.empty(); ++count) {
    if (count == most) return result + "...";
    const std::size_t size = character_bytes(text);
    const std::string_view character = text.substr(0, size == 0 ? 1 : size);
    if (size == 0 || is_control(character))
      append_escaped(result, character);
    else
      result += character;
    text.remove_prefix(character.size());
  }
  return result;
}

std::string shown(std::string_view word) { return "'" + shown_bare(word) + "'"; }

}  // namespace tcsim::files
