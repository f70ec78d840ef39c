#include "workloads/traceg/fields.hpp"

#include <charconv>

#include "sim/files/shown_text.hpp"
#include "workloads/trace/tct_cursor.hpp"

namespace tcsim::traceg {
namespace {

template <typename Number>
bool parse(std::string_view text, Number& value, int base) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

}  // namespace

std::string shown(std::string_view field) {
  return field.empty() ? "the end of the line" : files::shown(field);
}

std::string_view Fields::word() const { return rest().substr(0, rest().find_first_of(" \t")); }

void Fields::skip(std::size_t size) {
  position_ += size;
  skip_blanks();
}

std::string_view Fields::take_word(std::string_view what) {
  const std::string_view result = word();
  if (result.empty()) fail(what, "missing: the line ends here");
  skip(result.size());
  return result;
}

std::uint64_t Fields::take_hex(std::string_view what, std::uint64_t largest) {
  const std::string_view field = word();
  std::uint64_t value = 0;
  const std::string_view digits = field.starts_with("0x") ? field.substr(2) : field;
  if (!parse(digits, value, 16)) fail(what, "expected hexadecimal digits, got " + shown(field));
  if (value > largest) fail(what, shown(field) + " is too large");
  skip(field.size());
  return value;
}

std::int64_t Fields::take_decimal(std::string_view what, std::int64_t smallest,
                                  std::int64_t largest) {
  const std::string_view field = word();
  std::int64_t value = 0;
  if (!parse(field, value, 10)) fail(what, "expected a whole number, got " + shown(field));
  if (value < smallest || value > largest) {
    fail(what, shown(field) + " is not between " + std::to_string(smallest) + " and " +
                   std::to_string(largest));
  }
  skip(field.size());
  return value;
}

NamedRegister Fields::take_register(std::string_view what) {
  const std::string_view field = word();
  NamedRegister found;
  for (const std::string_view kind : {"R", "UR", "UP", "P"}) {
    if (!field.starts_with(kind) || !parse(field.substr(kind.size()), found.number, 10)) continue;
    if (found.number < 0 || found.number > 255) break;
    found.is_vector = kind == "R";
    skip(field.size());
    return found;
  }
  fail(what, "expected a register, R0 to R255, UR0, P0 or UP0, got " + shown(field));
}

void Fields::take_end() {
  if (!at_end()) fail("line", "nothing more is expected, got " + shown(word()));
}

void Fields::fail(std::string_view what, std::string reason) const {
  throw trace::Mistake{column(), std::string(what), std::move(reason)};
}

}  // namespace tcsim::traceg
