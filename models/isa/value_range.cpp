#include "models/isa/value_range.hpp"

#include <algorithm>
#include <limits>
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

// Wide enough for sums of products of a coefficient and a 64-bit number; GCC and Clang have it,
// standard C++ does not.
__extension__ using Wide = __int128;

std::int64_t saturated(Wide value) {
  using Limits = std::numeric_limits<std::int64_t>;
  return static_cast<std::int64_t>(std::clamp<Wide>(value, Limits::min(), Limits::max()));
}

/// Adds up ranges; the sum is cut to 64 bits at the end.
class RangeSum {
 public:
  explicit RangeSum(std::int64_t constant) : least_(constant), most_(constant) {}

  void add_times(std::int64_t coefficient, const ValueRange& range) {
    const auto [least, most] =
        std::minmax({Wide{coefficient} * range.least, Wide{coefficient} * range.most});
    least_ += least;
    most_ += most;
  }
  [[nodiscard]] ValueRange range() const { return {saturated(least_), saturated(most_)}; }

 private:
  Wide least_;
  Wide most_;
};

RangeSum sum_range(std::int64_t constant, const std::vector<Term>& terms,
                   const ValueRanges& ranges) {
  RangeSum sum(constant);
  for (const Term& term : terms) {
    const ValueRange& of_variable = ranges[static_cast<std::size_t>(term.variable)];
    const ValueRange divided{saturated((Wide{of_variable.least} + term.offset) / term.divisor),
                             saturated((Wide{of_variable.most} + term.offset) / term.divisor)};
    sum.add_times(term.coefficient, remainders(divided, term.modulus));
  }
  return sum;
}

}  // namespace

ValueRange range_of(const Expression& expression, const ValueRanges& ranges) {
  RangeSum sum = sum_range(expression.constant, expression.terms, ranges);
  for (const Quotient& quotient : expression.quotients) {
    const ValueRange of_sum = sum_range(quotient.constant, quotient.terms, ranges).range();
    Quotient whole = quotient;
    whole.modulus = 0;
    sum.add_times(
        quotient.coefficient,
        remainders({divide(whole, of_sum.least), divide(whole, of_sum.most)}, quotient.modulus));
  }
  return sum.range();
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
