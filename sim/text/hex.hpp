#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tcsim::text {

inline constexpr std::string_view kHexDigits = "0123456789abcdef";

/// The two digits of `byte`.
inline std::string hex_of(std::uint8_t byte) {
  return {kHexDigits[byte >> 4], kHexDigits[byte & 0xf]};
}

}  // namespace tcsim::text
