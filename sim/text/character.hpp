#pragma once

#include <string_view>

namespace tcsim::text {

/// A character of a text, or a byte that does not begin a character.
struct Character {
  std::string_view bytes;
  char32_t code = 0;
  bool is_utf8 = false;
};

/// The first character of `text`, which is not empty, in UTF-8 (RFC 3629: shortest forms, no
/// surrogates, up to U+10FFFF).
Character first_of(std::string_view text);

}  // namespace tcsim::text
