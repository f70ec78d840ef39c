#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tcsim::config {

/// A number read from text, or why it could not be: a reason that repeats the text.
template <typename T>
struct NumberReading {
  std::optional<T> value;
  std::string reason;  ///< empty when there is a value
};

/// Reads a decimal integer, optionally followed by a unit that fits `unit`, with or without a space
/// between ("1530 MHz", "40MiB"). Refused, each with its own reason: leading zeros, hexadecimal,
/// separators, fractions, decimal byte units.
NumberReading<long long> read_integer(std::string_view text, std::string_view unit);

/// The same for a number that may have a fraction. It is 0 or a normal number: never infinite, NaN,
/// or so small that digits are lost.
NumberReading<double> read_number(std::string_view text, std::string_view unit);

/// Units that may be written after a value in `unit`, the first being `unit` itself; empty if it is
/// "".
std::string accepted_units(std::string_view unit);

/// Shortest decimal form that reads back as `value`; whole numbers below 1e15 in plain digits.
std::string number_text(double value);

/// Why `value`, written as `text`, is not from `min` to `max`; empty if it is.
std::string check_range(std::string_view text, double value, double min, double max);

}  // namespace tcsim::config
