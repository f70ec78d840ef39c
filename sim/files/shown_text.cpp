#include "sim/files/shown_text.hpp"

#include <algorithm>
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

/// `line` with the words behind its place cut that are too long to be read.
std::string shown_line(std::string_view line) {
  constexpr std::size_t kLongestPlace = 4200;  // a path has 4096 bytes at most
  constexpr std::size_t kLongestWord = 200;
  constexpr std::size_t kLongestLine = 2000;
  const std::size_t place = std::min(line.find(": "), line.size());
  std::string result = shown_bare(line.substr(0, place), kLongestPlace);
  std::string rest;
  for (line.remove_prefix(place); !line.empty() && rest.size() <= kLongestLine;) {
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, end);
    rest += word.size() > kLongestWord ? shown_bare(word) : shown_bare(word, kLongestWord);
    if (end < line.size()) rest += ' ';
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  if (!line.empty()) rest += "...";
  return result + rest;
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

std::string shown_message(std::string_view message) {
  constexpr std::size_t kMostLines = 200;
  std::string result;
  for (std::size_t line = 0; line == 0 || !message.empty(); ++line) {
    if (line == kMostLines) {
      const auto more = 1 + std::ranges::count(message, '\n');
      return result + "\n" + std::to_string(more) + " further lines are not shown";
    }
    const std::size_t end = std::min(message.find('\n'), message.size());
    if (line > 0) result += '\n';
    result += shown_line(message.substr(0, end));
    message.remove_prefix(std::min(end + 1, message.size()));
  }
  return result;
}

std::string shown(std::string_view word) { return "'" + shown_bare(word) + "'"; }

}  // namespace tcsim::files
