#include "sim/mma/hex.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace tcsim::mma {

namespace {

std::optional<unsigned> digit_value(char digit) {
  if ('0' <= digit && digit <= '9') return static_cast<unsigned>(digit - '0');
  if ('a' <= digit && digit <= 'f') return static_cast<unsigned>(digit - 'a' + 10);
  if ('A' <= digit && digit <= 'F') return static_cast<unsigned>(digit - 'A' + 10);
  return std::nullopt;
}

std::optional<HexError> append_group(std::string_view group, int bits_each,
                                     std::vector<std::uint64_t>& patterns) {
  const std::size_t prefix = group.substr(0, 2) == "0x" || group.substr(0, 2) == "0X" ? 2 : 0;
  const std::string_view digits = group.substr(prefix);
  if (digits.empty()) return HexError{0, "expected hexadecimal digits, got nothing"};
  const std::size_t width = bits_each < 4 ? 1 : static_cast<std::size_t>(bits_each) / 4;
  std::uint64_t element = 0;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const auto value = digit_value(digits[i]);
    if (!value)
      return HexError{prefix + i, fmt::format("'{}' is not a hexadecimal digit", digits[i])};
    if (bits_each == 1) {
      for (int bit = 3; bit >= 0; --bit) patterns.push_back(*value >> bit & 1);
      continue;
    }
    element = element << 4 | *value;
    if ((i + 1) % width == 0) {
      patterns.push_back(element);
      element = 0;
    }
  }
  if (digits.size() % width != 0)
    return HexError{
        0, fmt::format("'{}' has {} digits; an element has {}", digits, digits.size(), width)};
  return std::nullopt;
}

}  // namespace

std::variant<std::vector<std::uint64_t>, HexError> parse_hex(std::string_view text, int bits_each) {
  std::vector<std::uint64_t> patterns;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    if (auto error = append_group(text.substr(begin, comma - begin), bits_each, patterns)) {
      error->offset += begin;
      return *error;
    }
    begin = comma + 1;
  }
  return patterns;
}

std::string to_hex(std::uint64_t pattern, int bits_each) {
  return fmt::format("{:0{}x}", pattern, std::max(1, bits_each / 4));
}

}  // namespace tcsim::mma
