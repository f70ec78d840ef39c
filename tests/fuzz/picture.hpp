#pragma once

#include <string>

#include "tests/fuzz/target.hpp"

namespace tcsim::fuzz {

/// Only the tags of a picture: its words may be names from the input, and a machine may be called
/// nan.
inline std::string tags_of(const std::string& picture) {
  std::string tags;
  bool inside = false;
  for (const char c : picture) {
    inside = inside ? c != '>' : c == '<';
    if (inside) tags += c;
  }
  return tags;
}

/// No picture may contain NaN, infinity or a negative part of a colour.
inline void require_numbers(const std::string& page) {
  const std::string tags = tags_of(page);
  for (const char* no_number :
       {"\"nan", "\"inf", " nan ", ",nan", ",inf", "(nan", "rgb(-", "-nan"}) {
    const std::size_t at = tags.find(no_number);
    if (at == std::string::npos) continue;
    require(false, "a page or picture with 'nan': " + tags.substr(at < 60 ? 0 : at - 60, 100));
  }
}

}  // namespace tcsim::fuzz
