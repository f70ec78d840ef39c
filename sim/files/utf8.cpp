#include "sim/files/utf8.hpp"

#include <cstdint>
#include <cstring>

#include "sim/text/character.hpp"
#include "sim/text/hex.hpp"

namespace tcsim::files {
namespace {

/// Number of bytes of the character at the front of `rest`, which is not empty; 0 if there is no
/// character or NUL.
std::size_t character_length(std::string_view rest) {
  const text::Character first = text::first_of(rest);
  return first.is_utf8 && first.code != 0 ? first.bytes.size() : 0;
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
  const auto byte = static_cast<std::uint8_t>(rest.front());
  const std::string shown = "byte 0x" + text::hex_of(byte);
  if (byte == 0) return shown + " is not text";
  if (byte == 0xfe || byte == 0xff)
    return shown + " is not UTF-8 but may start UTF-16; save the file as UTF-8";
  return shown + " is not UTF-8; save the file as UTF-8";
}

}  // namespace tcsim::files
