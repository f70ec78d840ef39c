#include "sim/config/number.hpp"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "sim/files/shown_text.hpp"
#include "sim/text/number.hpp"

namespace tcsim::config {
namespace {

using files::shown_bare;

struct UnitRow {
  std::string_view unit;     ///< the unit of a key
  std::string_view written;  ///< what may follow the number
  double factor;
};

constexpr std::array<UnitRow, 23> kUnits{{{"MHz", "MHz", 1},
                                          {"MHz", "GHz", 1000},
                                          {"bytes", "bytes", 1},
                                          {"bytes", "B", 1},
                                          {"bytes", "KiB", 1024},
                                          {"bytes", "MiB", 1048576},
                                          {"bytes", "GiB", 1073741824},
                                          {"bytes/cycle", "bytes/cycle", 1},
                                          {"cycles", "cycles", 1},
                                          {"clocks", "clocks", 1},
                                          {"beats", "beats", 1},
                                          {"bits", "bits", 1},
                                          {"ns", "ns", 1},
                                          {"ns", "us", 1000},
                                          {"us", "us", 1},
                                          {"us", "ms", 1000},
                                          {"GB", "GB", 1},
                                          {"W", "W", 1},
                                          {"nm", "nm", 1},
                                          {"pJ/flop", "pJ/flop", 1},
                                          {"pJ/bit", "pJ/bit", 1},
                                          {"GB/s", "GB/s", 1},
                                          {"percent", "%", 1}}};

struct Written {
  std::string_view number;
  std::string_view suffix;
};

Written split(std::string_view text) {
  std::size_t end = text.find_first_not_of("+-0123456789.eE");
  // The letters of an exponent belong to the number only between digits.
  while (end != 0 && end != std::string_view::npos &&
         (text[end - 1] == 'e' || text[end - 1] == 'E'))
    --end;
  if (end == std::string_view::npos) return {text, {}};
  std::size_t suffix = text.find_first_not_of(' ', end);
  if (suffix == std::string_view::npos) suffix = text.size();
  return {text.substr(0, end), text.substr(suffix)};
}

/// "40 MiB or 41943040" for the decimal byte units that people write, or nothing.
std::string binary_spelling(std::string_view number, std::string_view suffix) {
  static constexpr std::array<std::pair<std::string_view, int>, 9> kDecimal{{{"kB", 1},
                                                                             {"KB", 1},
                                                                             {"K", 1},
                                                                             {"k", 1},
                                                                             {"MB", 2},
                                                                             {"M", 2},
                                                                             {"GB", 3},
                                                                             {"G", 3},
                                                                             {"MIB", 2}}};
  static constexpr std::array<std::string_view, 4> kBinary{"", "KiB", "MiB", "GiB"};
  if (!text::all_digits(number) || number.size() > 9) return {};
  for (const auto& [decimal, power] : kDecimal)
    if (suffix == decimal)
      return fmt::format("{} {} or {}", number, kBinary[static_cast<std::size_t>(power)],
                         std::stoll(std::string(number)) << (10 * power));
  return {};
}

std::string_view plain(std::string_view unit) { return unit == "bytes/cycle" ? "bytes" : unit; }

/// Why the suffix of `text` is wrong; empty and `factor` set if it fits.
std::string check_suffix(std::string_view text, const Written& parts, std::string_view unit,
                         double& factor) {
  factor = 1;
  if (parts.suffix.empty()) return {};
  for (const UnitRow& row : kUnits) {
    if (row.unit != unit || row.written != parts.suffix) continue;
    factor = row.factor;
    return {};
  }
  if (plain(unit) == "bytes") {
    const std::string binary = binary_spelling(parts.number, parts.suffix);
    if (!binary.empty() && unit == "bytes")
      return fmt::format("{} is not a number of bytes; write {}", shown_bare(text), binary);
  }
  return fmt::format("{} is not a number of {}; units are {}", shown_bare(text), unit,
                     accepted_units(unit));
}

/// Traps that another reader of numbers would take for something else; empty if there is none.
std::string check_spelling(std::string_view text, std::string_view kind) {
  std::string_view digits = text;
  if (!digits.empty() && (digits[0] == '-' || digits[0] == '+')) digits.remove_prefix(1);
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    unsigned long long value = 0;
    const auto [end, error] =
        std::from_chars(digits.data() + 2, digits.data() + digits.size(), value, 16);
    if (error == std::errc{} && end == digits.data() + digits.size())
      return fmt::format("hexadecimal {} is not accepted; write {}", shown_bare(text), value);
  }
  if (digits.size() > 1 && digits[0] == '0' && text::all_digits(digits)) {
    const std::size_t nonzero = digits.find_first_not_of('0');
    return fmt::format(
        "{} has a leading zero, which some readers take for octal; write {}", shown_bare(text),
        nonzero == std::string_view::npos ? "0" : shown_bare(digits.substr(nonzero)));
  }
  if (const std::size_t comma = digits.find(',');
      comma != std::string_view::npos && (comma + 4 != digits.size() || digits.starts_with("0,"))) {
    const std::string_view whole = digits.substr(0, comma);
    const std::string_view rest = digits.substr(comma + 1);
    if (text::all_digits(whole) && text::all_digits(rest))
      return fmt::format("{} has a decimal comma; write {}.{}", shown_bare(text), shown_bare(whole),
                         shown_bare(rest));
  }
  if (const std::size_t mark = digits.find_first_of("_,");
      mark != std::string_view::npos && mark > 0) {
    std::string joined;
    for (const char c : digits)
      if (c != '_' && c != ',') joined += c;
    if (text::all_digits(joined))
      return fmt::format("{} has a separator; write {}", shown_bare(text), shown_bare(joined));
  }
  return fmt::format("expected {}, got {}", kind, files::shown(text));
}

}  // namespace

std::string accepted_units(std::string_view unit) {
  std::string list;
  for (const UnitRow& row : kUnits) {
    if (row.unit != unit) continue;
    if (!list.empty()) list += ", ";
    list += row.written;
  }
  return list;
}

NumberReading<double> read_number(std::string_view text, std::string_view unit) {
  const Written parts = split(text);
  double value = 0;
  const char* last = parts.number.data() + parts.number.size();
  const auto [end, error] = std::from_chars(parts.number.data(), last, value);
  const std::size_t first = parts.number.find_first_not_of('-');
  const bool zero_first = first != std::string_view::npos && parts.number.size() > first + 1 &&
                          parts.number[first] == '0' && parts.number[first + 1] != '.';
  const bool is_number = error == std::errc{} && end == last && !parts.number.empty();
  if (!is_number || zero_first || (unit.empty() && !parts.suffix.empty()) ||
      parts.suffix.starts_with('_') || parts.suffix.starts_with(','))
    return {{}, check_spelling(text, "a number")};
  double factor = 1;
  if (std::string reason = check_suffix(text, parts, unit, factor); !reason.empty())
    return {{}, std::move(reason)};
  value *= factor;
  // What is too large or too small for a double has lost digits, or is no number any more.
  if (value != 0 && !std::isnormal(value))
    return {{},
            fmt::format("expected a number from 2.3e-308 to 1.7e308, got {}", files::shown(text))};
  return {value, {}};
}

NumberReading<long long> read_integer(std::string_view text, std::string_view unit) {
  NumberReading<double> reading = read_number(text, unit);
  if (!reading.value) {
    const std::string wanted = "expected a number";
    if (reading.reason.starts_with(wanted))
      reading.reason = "expected an integer" + reading.reason.substr(wanted.size());
    return {{}, std::move(reading.reason)};
  }
  const Written parts = split(text);
  const bool spelled_as_integer =
      parts.number.find_first_of(parts.suffix.empty() ? ".eE" : "eE") == std::string_view::npos;
  // 1.005 GHz, in a double, are not quite 1005 MHz.
  constexpr double kRounding = 1e-9;
  const double nearest = std::round(*reading.value);
  if (!spelled_as_integer || std::abs(*reading.value - nearest) > kRounding * std::abs(nearest) ||
      std::abs(nearest) > 9007199254740992.0)
    return {{}, fmt::format("expected an integer, got {}", files::shown(text))};
  return {static_cast<long long>(nearest), {}};
}

std::string number_text(double value) {
  constexpr double kMostDigits = 1e15;
  if (value == std::floor(value) && std::abs(value) < kMostDigits)
    return fmt::format("{:.0f}", value);
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

std::string check_range(std::string_view text, double value, double min, double max) {
  if (value >= min && value <= max) return {};
  return fmt::format("{} is out of range; allowed are {} to {}", text, number_text(min),
                     number_text(max));
}

}  // namespace tcsim::config
