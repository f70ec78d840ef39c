#include "sim/text/name.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/text/outgoing.hpp"

namespace tcsim::text {
namespace {

constexpr std::size_t kMostCharacters = 100;

// The C library's isalnum would depend on the locale.
bool is_first(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_allowed(char c) {
  return is_first(c) || std::string_view(".-@+").find(c) != std::string_view::npos;
}

}  // namespace

std::string name_mistake(std::string_view name) {
  if (name.empty()) return "a name is missing";
  if (name.size() > kMostCharacters)
    return fmt::format("'{}...' is longer than {} characters", one_line(name.substr(0, 20)),
                       kMostCharacters);
  if (!is_first(name.front()) || !std::ranges::all_of(name, is_allowed))
    return fmt::format(
        "'{}' names a file, and may have letters, digits and . _ - @ + only, the first a letter, a "
        "digit or _",
        one_line(name));
  return "";
}

std::string as_name(std::string_view name) {
  std::string result;
  if (name.empty() || !is_first(name.front())) result = "file";
  for (const char c : name) result += is_allowed(c) ? c : '-';
  return result.substr(0, kMostCharacters);
}

}  // namespace tcsim::text
