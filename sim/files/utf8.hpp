#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tcsim::files {

/// Length of the part at the front of `text` that is UTF-8 (RFC 3629: shortest forms, no
/// surrogates, up to U+10FFFF) without NUL, which no text contains; text.size() if that is all of
/// it.
std::size_t utf8_length(std::string_view text);

/// Why the first byte of `rest` is not text: "byte 0xe9 is not UTF-8; save the file as UTF-8".
/// Requires that utf8_length stopped there.
std::string utf8_mistake(std::string_view rest);

/// `text` without the byte-order mark that spreadsheets write at the start of a file.
constexpr std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  return text.starts_with(kByteOrderMark) ? text.substr(kByteOrderMark.size()) : text;
}

}  // namespace tcsim::files
