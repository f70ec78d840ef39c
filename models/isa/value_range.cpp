#include "models/isa/value_range.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace tcsim::isa {
namespace {

ValueRange remainders(const ValueRange& range, std::int64_t modulus) {
  if (modulus == 0) return range;
  const bool is_negative = range.least < 0;
  if (!is_negative && range.least / modulus == range.most / modulus)
    return {range.least % modulus, range.most % modulus};
  return {is_negative ? 1 - modulus : 0, modulus - 1};
}

void add_times(ValueRange& sum, std::int64_t coefficient, const ValueRange& range) {
  const auto [least, most] = std::minmax({coefficient * range.least, coefficient * range.most});
  sum.least += least;
  sum.most += most;
}

ValueRange sum_range(std::int64_t constant, const std::vector<Term>& terms,
                     const ValueRanges& ranges) {
  ValueRange sum{constant, constant};
  for (const Term& term : terms) {
    const ValueRange& of_variable = ranges[static_cast<std::size_t>(term.variable)];
    const ValueRange divided{(of_variable.least + term.offset) / term.divisor,
                             (of_variable.most + term.offset) / term.divisor};
    add_times(sum, term.coefficient, remainders(divided, term.modulus));
  }
  return sum;
}

}  // namespace

ValueRange range_of(const Expression& expression, const ValueRanges& ranges) {
  ValueRange sum = sum_range(expression.constant, expression.terms, ranges);
  for (const Quotient& quotient : expression.quotients) {
    const ValueRange of_sum = sum_range(quotient.constant, quotient.terms, ranges);
    Quotient whole = quotient;
    whole.modulus = 0;
    add_times(
        sum, quotient.coefficient,
        remainders({divide(whole, of_sum.least), divide(whole, of_sum.most)}, quotient.modulus));
  }
  return sum;
}

bool may_be(const Expression& expression, std::int64_t value) {
  constexpr std::int64_t kMost = std::int64_t{1} << 30;
  ValueRanges any;
  any.fill({0, kMost});
  const ValueRange range = range_of(expression, any);
  if (value < range.least || value > range.most) return false;
  std::int64_t step = 0;
  for (const Term& term : expression.terms) step = std::gcd(step, term.coefficient);
  for (const Quotient& quotient : expression.quotients) step = std::gcd(step, quotient.coefficient);
  return step == 0 || (value - expression.constant) % step == 0;
}

}  // namespace tcsim::isa
