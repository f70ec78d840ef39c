#include "sim/sweep/expression.hpp"

#include <fmt/format.h>
#include <muParser.h>

#include <cmath>

namespace tcsim::sweep {
namespace {

// Axes may bear the names of machine keys, which have dots.
constexpr const char* kNameCharacters =
    "0123456789_.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

double remainder_of(double a, double b) { return std::fmod(a, b); }

bool is_of_name(char letter) {
  return std::string_view(kNameCharacters).find(letter) != std::string_view::npos;
}

}  // namespace

bool has_name(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos;
       at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool begins = at == 0 || !is_of_name(text[at - 1]);
    const bool ends = end == text.size() || !is_of_name(text[end]);
    if (begins && ends) return true;
  }
  return false;
}

double evaluate(const std::string& text, const std::map<std::string, double>& values) {
  double result = 0;
  try {
    mu::Parser parser;
    parser.DefineNameChars(kNameCharacters);
    parser.DefineFun("mod", remainder_of);
    for (const auto& [name, value] : values) {
      if (!has_name(text, name)) continue;
      if (name.find_first_not_of(kNameCharacters) != std::string::npos)
        throw ExpressionError(fmt::format(
            "'{}': '{}' cannot stand in it; names here have letters, digits, _ and .", text, name));
      parser.DefineConst(name, value);
    }
    parser.SetExpr(text);
    result = parser.Eval();
    if (parser.GetNumResults() != 1)
      throw ExpressionError(fmt::format(
          "'{}': has several values; a comma stands only between values of a function", text));
  } catch (const mu::Parser::exception_type& error) {
    throw ExpressionError(fmt::format("'{}': {}", text, error.GetMsg()));
  }
  if (!std::isfinite(result)) throw NotFinite(fmt::format("'{}' is not finite", text));
  return result;
}

}  // namespace tcsim::sweep
