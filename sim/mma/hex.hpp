#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "models/numerics/element_type.hpp"

namespace tcsim::mma {

/// Why a text is no list of patterns, and where: `offset` counts characters from 0.
struct HexError {
  std::size_t offset = 0;
  std::string reason;
};

/// Parses patterns of `bits_each` bits (1, or a multiple of 4) written back to back, most
/// significant digit first. Commas may separate groups of whole elements, `0x` may precede a group.
/// A bit list has four elements per digit, the most significant first.
std::variant<std::vector<std::uint64_t>, HexError> parse_hex(std::string_view text, int bits_each);

/// Hexadecimal digits of a pattern, as wide as its type.
std::string to_hex(std::uint64_t pattern, int bits_each);

}  // namespace tcsim::mma
