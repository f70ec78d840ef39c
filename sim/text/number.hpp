#pragma once

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

namespace tcsim::text {

/// All of `text` as a number; nothing if it is not a number or out of range.
template <typename Number>
std::optional<Number> number_of(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The same, but "inf" and "nan" are not numbers.
inline std::optional<double> finite_number_of(std::string_view text) {
  const auto value = number_of<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

/// True for one digit or more, and nothing else.
inline bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace tcsim::text
