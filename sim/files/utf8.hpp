#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tcsim::files {

/// Length of the front of `text` that is UTF-8 (RFC 3629: shortest forms, no surrogates, up to
/// U+10FFFF) without NUL, which no text holds; text.size() if all of it is.
std::size_t utf8_length(std::string_view text);

/// Why the byte with which `rest` begins ends a text: "byte 0xe9 is not UTF-8; save the file as
/// UTF-8". Requires that utf8_length stopped there.
std::string utf8_mistake(std::string_view rest);

/// `text` without the byte-order mark with which spreadsheets begin a file.
constexpr std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

}  // namespace tcsim::files
