#include "sim/files/utf8.hpp"

#include <array>
#include <cstdint>
#include <cstring>

namespace tcsim::files {
namespace {

/// Bytes of the character at the front of `text`, or 0 if it is none. Table 3-7 of the Unicode
/// Standard: what may follow depends on the first byte.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<std::uint8_t>(text[i]) : std::uint8_t{0};
  };
  const auto follows = [&](std::size_t i) { return byte(i) >= 0x80 && byte(i) <= 0xbf; };
  const std::uint8_t first = byte(0);
  if (first > 0 && first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const std::uint8_t least = first == 0xe0 ? 0xa0 : 0x80;
    const std::uint8_t most = first == 0xed ? 0x9f : 0xbf;
    return byte(1) >= least && byte(1) <= most && follows(2) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const std::uint8_t least = first == 0xf0 ? 0x90 : 0x80;
    const std::uint8_t most = first == 0xf4 ? 0x8f : 0xbf;
    return byte(1) >= least && byte(1) <= most && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

/// Whether eight bytes are ASCII without NUL.
bool are_ascii(const char* bytes) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080;
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return ((word | (word - kOnes)) & kHighBits) == 0;
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  constexpr std::size_t kWord = 8;
  std::size_t at = 0;
  while (at < text.size()) {
    if (text.size() - at >= kWord && are_ascii(text.data() + at)) {
      at += kWord;
      continue;
    }
    const std::size_t length = character_length(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return at;
}

std::string utf8_mistake(std::string_view rest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto byte = static_cast<std::uint8_t>(rest.front());
  const std::string shown = std::string("byte 0x") + kDigits[byte >> 4] + kDigits[byte & 0xf];
  if (byte == 0) return shown + " is no text";
  if (byte == 0xfe || byte == 0xff)
    return shown + " is not UTF-8 but may start UTF-16; save the file as UTF-8";
  return shown + " is not UTF-8; save the file as UTF-8";
}

}  // namespace tcsim::files
