#include "sim/files/escaped_text.hpp"

#include <charconv>

#include "sim/files/utf8.hpp"
#include "sim/text/hex.hpp"

namespace tcsim::files {
namespace {

constexpr std::size_t kEscapeBytes = 4;  // \xHH

}  // namespace

std::string escaped_text(std::string_view bytes) {
  return utf8_length(bytes) == bytes.size() ? std::string(bytes) : always_escaped_text(bytes);
}

std::string always_escaped_text(std::string_view bytes) {
  std::string escaped;
  while (!bytes.empty()) {
    const std::size_t sound = utf8_length(bytes);
    for (const char c : bytes.substr(0, sound)) escaped += c == '\\' ? "\\\\" : std::string(1, c);
    bytes.remove_prefix(sound);
    if (bytes.empty()) break;
    escaped += "\\x" + text::hex_of(static_cast<unsigned char>(bytes.front()));
    bytes.remove_prefix(1);
  }
  return escaped;
}

std::string unescaped_text(std::string_view text) {
  std::string bytes;
  while (!text.empty()) {
    unsigned char byte = 0;
    const char* const digits = text.data() + 2;
    if (text.starts_with("\\\\")) {
      bytes += '\\';
      text.remove_prefix(2);
    } else if (text.starts_with("\\x") && text.size() >= kEscapeBytes &&
               std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      bytes += static_cast<char>(byte);
      text.remove_prefix(kEscapeBytes);
    } else {
      bytes += text.front();
      text.remove_prefix(1);
    }
  }
  return bytes;
}

}  // namespace tcsim::files
