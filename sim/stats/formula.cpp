#include "sim/stats/formula.hpp"

#include <algorithm>
#include <charconv>
#include <string>

#include "sim/errors/errors.hpp"

namespace tcsim::stats {
namespace {

/// Recursive-descent parser for one formula; every parse function consumes what it recognises.
class Parser {
 public:
  Parser(std::string_view text, const Values& values) : text_(text), values_(values) {}

  std::optional<double> parse() {
    const auto value = sum();
    if (next() != '\0') fail("unexpected rest");
    return value;
  }

 private:
  std::optional<double> sum() {
    auto left = product();
    while (next() == '+' || next() == '-') {
      const char sign = take();
      const auto right = product();
      left = left && right ? std::optional(sign == '+' ? *left + *right : *left - *right)
                           : std::nullopt;
    }
    return left;
  }

  std::optional<double> product() {
    auto left = factor();
    while (next() == '*' || next() == '/') {
      const char sign = take();
      const auto right = factor();
      if (!left || !right || (sign == '/' && *right == 0.0)) {
        left = std::nullopt;
      } else {
        left = sign == '*' ? *left * *right : *left / *right;
      }
    }
    return left;
  }

  std::optional<double> factor() {
    const char first = next();
    if (first == '(') {
      take();
      const auto value = sum();
      expect(')');
      return value;
    }
    return is_digit(first) ? number() : name();
  }

  std::optional<double> number() {
    double value = 0.0;
    const char* begin = text_.data() + position_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc{}) fail("not a number");
    position_ += static_cast<std::size_t>(end - begin);
    return value;
  }

  std::optional<double> name() {
    const std::size_t begin = position_;
    while (position_ < text_.size() && is_name(text_[position_])) ++position_;
    if (position_ == begin) fail("expected a name, a number or (");
    const std::string_view word = text_.substr(begin, position_ - begin);
    return word == "max" ? largest() : values_.at(word);
  }

  std::optional<double> largest() {
    expect('(');
    std::optional<double> largest = sum();
    do {
      expect(',');
      const auto other = sum();
      largest = largest && other ? std::optional(std::max(*largest, *other)) : std::nullopt;
    } while (next() == ',');
    expect(')');
    return largest;
  }

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || is_digit(c) || c == '_' || c == '.';
  }

  /// The next character that is not a space, or '\0' at the end.
  char next() {
    while (position_ < text_.size() && text_[position_] == ' ') ++position_;
    return position_ < text_.size() ? text_[position_] : '\0';
  }
  char take() { return text_[position_++]; }
  void expect(char wanted) {
    if (next() != wanted) fail(std::string("missing ") + wanted);
    take();
  }

  [[noreturn]] void fail(const std::string& reason) const {
    throw InternalError("formula '" + std::string(text_) + "', column " +
                        std::to_string(position_ + 1) + ": " + reason);
  }

  std::string_view text_;
  const Values& values_;
  std::size_t position_ = 0;
};

}  // namespace

std::optional<double> evaluate(std::string_view formula, const Values& values) {
  return Parser(formula, values).parse();
}

}  // namespace tcsim::stats
