#pragma once

#include <string_view>

namespace tcsim::text {

/// A character of a text, or a byte that begins none.
struct Character {
  std::string_view bytes;
  char32_t code = 0;
  bool is_utf8 = false;
};

/// The first character of `text`, which is not empty, as UTF-8 has it (RFC 3629: shortest forms, no
/// surrogates, up to U+10FFFF).
Character first_of(std::string_view text);

}  // namespace tcsim::text
