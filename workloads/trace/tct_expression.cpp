#include "workloads/trace/tct_expression.hpp"

#include <algorithm>
#include <limits>

#include "sim/files/nearest.hpp"
#include "sim/files/shown_text.hpp"

namespace tcsim::trace {
namespace {

using isa::Expression;
using isa::Quotient;
using isa::Term;

// Wide enough for sums of products of two 62-bit numbers; GCC and Clang have it, standard C++ does
// not.
__extension__ using Wide = __int128;

constexpr std::int64_t kLargestCoefficient = std::int64_t{1}
                                             << 48;  // of bytes: a GPU's virtual address space
constexpr std::uint64_t kLargestDivisor = std::numeric_limits<std::uint32_t>::max();

std::uint64_t magnitude_of(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return value < 0 ? std::uint64_t{0} - bits : bits;
}

/// `inner` after its coefficient, without the sign.
std::string scaled_text(std::int64_t coefficient, const std::string& inner, bool has_operators) {
  const std::uint64_t magnitude = magnitude_of(coefficient);
  if (magnitude == 1) return inner;
  return std::to_string(magnitude) + "*" + (has_operators ? "(" + inner + ")" : inner);
}

/// The term without its sign.
std::string term_text(const Term& term) {
  std::string inner(kVariableNames[static_cast<std::size_t>(term.variable)]);
  if (term.offset != 0) inner = "(" + inner + "+" + std::to_string(term.offset) + ")";
  const bool plain = term.divisor == 1 && term.modulus == 0;
  if (term.divisor != 1) inner += "/" + std::to_string(term.divisor);
  if (term.modulus != 0) inner += "%" + std::to_string(term.modulus);
  return scaled_text(term.coefficient, inner, !plain);
}

void append_signed(std::string& text, bool negative, const std::string& part, bool first) {
  if (first) {
    text += negative ? "-" : "";
  } else {
    text += negative ? " - " : " + ";
  }
  text += part;
}

std::string sum_text(const Expression& expression, bool first);

/// " max 0 min 7" for a sum that is at least 0 and at most 7.
std::string clamp_text(const Quotient& quotient) {
  const Quotient free;
  std::string text;
  if (quotient.least != free.least) text += " max " + std::to_string(quotient.least);
  if (quotient.most != free.most) text += " min " + std::to_string(quotient.most);
  return text;
}

/// The quotient without its sign. An operator always follows the sum.
std::string quotient_text(const Quotient& quotient) {
  const std::string sum = sum_text({quotient.constant, quotient.terms, {}}, true);
  std::string inner = "(" + (sum.empty() ? "0" : sum) + clamp_text(quotient) + ")";
  if (quotient.divisor != 1 || quotient.modulus == 0)
    inner += "/" + std::to_string(quotient.divisor);
  if (quotient.modulus != 0) inner += "%" + std::to_string(quotient.modulus);
  return scaled_text(quotient.coefficient, inner, true);
}

std::string sum_text(const Expression& expression, bool first) {
  std::string text;
  for (const Term& term : expression.terms) {
    append_signed(text, term.coefficient < 0, term_text(term), first);
    first = false;
  }
  for (const Quotient& quotient : expression.quotients) {
    append_signed(text, quotient.coefficient < 0, quotient_text(quotient), first);
    first = false;
  }
  if (expression.constant != 0) {
    append_signed(text, expression.constant < 0, std::to_string(magnitude_of(expression.constant)),
                  first);
  }
  return text;
}

Wide largest_of(const Term& term, const VariableRanges& ranges) {
  const Wide shifted = Wide{ranges[static_cast<std::size_t>(term.variable)]} + term.offset;
  const Wide largest = shifted / term.divisor;
  return term.modulus == 0 ? largest : std::min<Wide>(largest, term.modulus - 1);
}

/// An upper bound of the sum's magnitude. Its quotients must be in range.
Wide magnitude_of(std::int64_t constant, const std::vector<Term>& terms,
                  const VariableRanges& ranges) {
  Wide magnitude = magnitude_of(constant);
  for (const Term& term : terms)
    magnitude += static_cast<Wide>(magnitude_of(term.coefficient)) * largest_of(term, ranges);
  return magnitude;
}

/// An upper bound of the magnitude that a sum of at most `magnitude` has between its bounds.
Wide clamped(const Quotient& quotient, Wide magnitude) {
  const Quotient free;
  const bool has_least = quotient.least != free.least;
  const bool has_most = quotient.most != free.most;
  Wide bound = has_least && has_most ? 0 : magnitude;
  if (has_least) bound = std::max<Wide>(bound, magnitude_of(quotient.least));
  if (has_most) bound = std::max<Wide>(bound, magnitude_of(quotient.most));
  return bound;
}

std::int64_t largest_of(const Quotient& quotient, const VariableRanges& ranges) {
  const Wide sum = clamped(quotient, magnitude_of(quotient.constant, quotient.terms, ranges));
  const auto largest = static_cast<std::int64_t>(sum / quotient.divisor);
  return quotient.modulus == 0 ? largest : std::min<std::int64_t>(largest, quotient.modulus - 1);
}

isa::Variable take_variable(Cursor& cursor, const VariableRanges& ranges) {
  const int column = cursor.column();
  const std::string_view word = cursor.take_word("expression");
  const auto* const name = std::ranges::find(kVariableNames, word);
  if (name == kVariableNames.end()) {
    throw Mistake{column, "expression",
                  "unknown variable " + files::shown(word) +
                      files::did_you_mean(word, {kVariableNames.begin(), kVariableNames.end()})};
  }
  const auto index = static_cast<std::size_t>(name - kVariableNames.begin());
  if (ranges[index] < 0) {
    throw Mistake{column, "expression", files::shown(word) + " has no value here"};
  }
  return static_cast<isa::Variable>(index);
}

/// True if "(variable+offset)" is next.
bool sees_shifted_variable(Cursor cursor) {
  if (!cursor.accept("(") || !cursor.sees_word()) return false;
  cursor.accept(cursor.word());
  if (!cursor.accept("+") || !cursor.sees_number()) return false;
  cursor.take_unsigned("offset", std::numeric_limits<std::uint64_t>::max());
  return cursor.sees(")");
}

/// variable, or (variable+offset)
Term take_shifted_variable(Cursor& cursor, const VariableRanges& ranges) {
  const bool shifted = cursor.accept("(");
  Term term{take_variable(cursor, ranges), 1};
  if (shifted) {
    cursor.take("+", "expression");
    term.offset = static_cast<std::uint32_t>(cursor.take_unsigned("offset", kLargestDivisor));
    cursor.take(")", "expression");
  }
  return term;
}

/// [/ divisor] [% modulus]
template <typename Divided>
void take_operators(Cursor& cursor, Divided& divided) {
  const auto take_operand = [&](const char* what) {
    const int column = cursor.column();
    const std::uint64_t value = cursor.take_unsigned(what, kLargestDivisor);
    if (value == 0) throw Mistake{column, "expression", "division by zero"};
    return static_cast<std::uint32_t>(value);
  };
  if (cursor.accept("/")) divided.divisor = take_operand("divisor");
  if (cursor.accept("%")) divided.modulus = take_operand("modulus");
}

bool sees_operator(const Cursor& cursor) { return cursor.sees("/") || cursor.sees("%"); }

Expression take_sum(Cursor& cursor, const VariableRanges& ranges, bool negative, int brackets = 0);

/// As in 2*((4*(lane/8) + warp)/3), the deepest that is written.
constexpr int kMostBrackets = 3;

/// [max LEAST] [min MOST] after a sum.
Quotient take_bounds(Cursor& cursor) {
  Quotient bounds;
  const auto bound = [&] {
    return cursor.take_integer("expression", -kLargestValue, kLargestValue);
  };
  const int column = cursor.column();
  if (cursor.accept("max")) bounds.least = bound();
  if (cursor.accept("min")) bounds.most = bound();
  if (bounds.least > bounds.most)
    throw Mistake{column, "expression", "what is raised to max cannot stay below min"};
  return bounds;
}

constexpr const char* kBracketsOfOperators =
    "write coefficient*(variable/divisor%modulus), with brackets";

/// "(" sum ")" divided, or one term or quotient in brackets. The sum of one item is returned. If a
/// coefficient precedes it, operators must be in brackets.
Expression take_brackets(Cursor& cursor, const VariableRanges& ranges, bool behind_coefficient,
                         int brackets) {
  const int column = cursor.column();
  if (brackets == kMostBrackets) cursor.fail("expression", "more brackets than a sum has");
  cursor.take("(", "expression");
  Expression inner = take_sum(cursor, ranges, cursor.accept("-"), brackets + 1);
  Quotient quotient = take_bounds(cursor);
  cursor.take(")", "expression");
  if (sees_operator(cursor)) {
    if (behind_coefficient) cursor.fail("expression", kBracketsOfOperators);
    if (!inner.quotients.empty())
      throw Mistake{column, "expression", "a divided sum cannot be divided again"};
    quotient.constant = inner.constant;
    quotient.terms = std::move(inner.terms);
    take_operators(cursor, quotient);
    return {0, {}, {std::move(quotient)}};
  }
  if (quotient != Quotient{})
    throw Mistake{column, "expression", "a sum with bounds must be divided, if only by 1"};
  const bool one = inner.constant == 0 && inner.terms.size() + inner.quotients.size() == 1;
  if (!one) throw Mistake{column, "expression", "a sum in brackets must be divided"};
  return inner;
}

/// A term or quotient without its coefficient; `behind_coefficient` as for take_brackets.
Expression take_factor(Cursor& cursor, const VariableRanges& ranges, bool behind_coefficient,
                       int brackets) {
  Expression factor;
  if (cursor.sees("(") && !sees_shifted_variable(cursor)) {
    const int column = cursor.column();
    factor = take_brackets(cursor, ranges, behind_coefficient, brackets);
    const bool has_coefficient = factor.terms.empty() ? factor.quotients.front().coefficient != 1
                                                      : factor.terms.front().coefficient != 1;
    if (has_coefficient)
      throw Mistake{column, "expression", "write coefficient*(variable/divisor%modulus)"};
    return factor;
  }
  factor.terms.push_back(take_shifted_variable(cursor, ranges));
  if (!behind_coefficient)
    take_operators(cursor, factor.terms.front());
  else if (sees_operator(cursor))
    cursor.fail("expression", kBracketsOfOperators);
  return factor;
}

void add_factor(Expression& sum, const Expression& factor, std::int64_t coefficient) {
  for (Term term : factor.terms) {
    term.coefficient = coefficient;
    sum.terms.push_back(term);
  }
  for (Quotient quotient : factor.quotients) {
    quotient.coefficient = coefficient;
    sum.quotients.push_back(std::move(quotient));
  }
}

/// One summand with its sign already taken.
void add_item(Cursor& cursor, const VariableRanges& ranges, bool negative, int brackets,
              Expression& sum) {
  if (!cursor.sees_number()) {
    add_factor(sum, take_factor(cursor, ranges, false, brackets), negative ? -1 : 1);
    return;
  }
  const int column = cursor.column();
  auto value = static_cast<std::int64_t>(cursor.take_unsigned("expression", kLargestValue));
  if (negative) value = -value;
  if (!cursor.accept("*")) {
    sum.constant += value;
    if (magnitude_of(sum.constant) > kLargestValue) {
      throw Mistake{column, "expression", "the constants add up to more than 2^61"};
    }
    return;
  }
  if (magnitude_of(value) > kLargestCoefficient) {
    throw Mistake{column, "expression", "the coefficient is larger than 2^48"};
  }
  add_factor(sum, take_factor(cursor, ranges, true, brackets), value);
}

void check_range(const Expression& sum, const VariableRanges& ranges, int column) {
  Wide magnitude = magnitude_of(sum.constant, sum.terms, ranges);
  for (const Quotient& quotient : sum.quotients)
    magnitude +=
        static_cast<Wide>(magnitude_of(quotient.coefficient)) * largest_of(quotient, ranges);
  if (magnitude > kLargestValue) {
    throw Mistake{column, "expression", "the sum can grow larger than 2^61"};
  }
}

Expression take_sum(Cursor& cursor, const VariableRanges& ranges, bool negative, int brackets) {
  const int column = cursor.column();
  Expression sum;
  for (;;) {
    add_item(cursor, ranges, negative, brackets, sum);
    if (cursor.accept("+")) {
      negative = false;
    } else if (!cursor.sees("->") && cursor.accept("-")) {
      negative = true;
    } else {
      break;
    }
  }
  check_range(sum, ranges, column);
  return sum;
}

}  // namespace

std::string expression_text(const Expression& expression) {
  const std::string text = sum_text(expression, true);
  return text.empty() ? "0" : text;
}

std::string added_text(const Expression& expression) { return sum_text(expression, false); }

std::string swizzle_text(const isa::Swizzle& swizzle) {
  if (swizzle == isa::Swizzle{}) return {};
  return " swizzle(" + std::to_string(swizzle.bits) + "," + std::to_string(swizzle.base) + "," +
         std::to_string(swizzle.shift) + ")";
}

std::string address_text(const isa::Address& address) {
  return expression_text(address.offset) + swizzle_text(address.swizzle);
}

std::string guard_text(const isa::Guard& guard) {
  std::string text = "(";
  for (const isa::Bound& bound : guard.bounds) {
    if (&bound != &guard.bounds.front()) text += " && ";
    text += expression_text(bound.expression) + " < " + std::to_string(bound.limit);
  }
  return text + ")";
}

Expression parse_expression(Cursor& cursor, const VariableRanges& ranges) {
  return take_sum(cursor, ranges, cursor.accept("-"));
}

Expression parse_added(Cursor& cursor, const VariableRanges& ranges, char closing) {
  if (cursor.accept("+")) return take_sum(cursor, ranges, false);
  if (cursor.accept("-")) return take_sum(cursor, ranges, true);
  if (!cursor.sees({&closing, 1})) {
    cursor.fail("address",
                std::string("expected '+', '-' or '") + closing + "', got " + cursor.seen());
  }
  return {};
}

isa::Swizzle parse_swizzle(Cursor& cursor) {
  constexpr std::uint64_t kMostBits = 30;  // of an offset into shared memory or a buffer
  if (!cursor.accept("swizzle")) return {};
  const auto number = [&] {
    return static_cast<std::uint8_t>(cursor.take_unsigned("swizzle", kMostBits));
  };
  isa::Swizzle swizzle;
  cursor.take("(", "swizzle");
  swizzle.bits = number();
  cursor.take(",", "swizzle");
  swizzle.base = number();
  cursor.take(",", "swizzle");
  swizzle.shift = number();
  cursor.take(")", "swizzle");
  return swizzle;
}

isa::Guard parse_guard(Cursor& cursor, const VariableRanges& ranges) {
  isa::Guard guard;
  cursor.take("(", "guard");
  if (cursor.accept(")")) return guard;
  do {
    isa::Bound bound{parse_expression(cursor, ranges), 0};
    cursor.take("<", "guard");
    bound.limit = cursor.take_integer("guard", -kLargestValue, kLargestValue);
    guard.bounds.push_back(std::move(bound));
  } while (cursor.accept("&&"));
  cursor.take(")", "guard");
  return guard;
}

std::int64_t largest_magnitude(const Expression& expression, const VariableRanges& ranges) {
  Wide magnitude = magnitude_of(expression.constant, expression.terms, ranges);
  for (const Quotient& quotient : expression.quotients)
    magnitude +=
        static_cast<Wide>(magnitude_of(quotient.coefficient)) * largest_of(quotient, ranges);
  return static_cast<std::int64_t>(magnitude);
}

std::int64_t largest_value(const Expression& expression, const VariableRanges& ranges) {
  Wide sum = expression.constant;
  for (const Term& term : expression.terms) {
    const bool may_be_negative = term.variable >= isa::Variable::kUniform0;
    if (term.coefficient > 0 || may_be_negative)
      sum += Wide{magnitude_of(term.coefficient)} * largest_of(term, ranges);
  }
  for (const Quotient& quotient : expression.quotients)
    sum += Wide{magnitude_of(quotient.coefficient)} * largest_of(quotient, ranges);
  return static_cast<std::int64_t>(sum);
}

}  // namespace tcsim::trace
