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

}  // namespace

double evaluate(const std::string& text, const std::map<std::string, double>& values) {
  double result = 0;
  try {
    mu::Parser parser;
    parser.DefineNameChars(kNameCharacters);
    parser.DefineFun("mod", remainder_of);
    for (const auto& [name, value] : values) {
      if (text.find(name) == std::string::npos) continue;
      if (name.find_first_not_of(kNameCharacters) != std::string::npos)
        throw ExpressionError(fmt::format(
            "'{}': '{}' cannot stand in it; names here have letters, digits, _ and .", text, name));
      parser.DefineConst(name, value);
    }
    parser.SetExpr(text);
    result = parser.Eval();
  } catch (const mu::Parser::exception_type& error) {
    throw ExpressionError(fmt::format("'{}': {}", text, error.GetMsg()));
  }
  if (!std::isfinite(result)) throw ExpressionError(fmt::format("'{}' is not finite", text));
  return result;
}

}  // namespace tcsim::sweep
