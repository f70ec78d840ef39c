#include "models/isa/lane_value.hpp"

#include <algorithm>
#include <limits>

namespace tcsim::isa {
namespace {

/// constant + sum of terms.
std::optional<std::int64_t> least_sum(std::int64_t constant, const std::vector<Term>& terms,
                                      int lane) {
  std::int64_t sum = constant;
  for (const Term& term : terms) {
    if (term.divisor == 0) return std::nullopt;
    if (term.variable == Variable::kLane)
      sum += evaluate(term, lane);
    else if (term.coefficient < 0 || term.variable >= Variable::kUniform0)
      return std::nullopt;
    else if (term.modulus == 0)
      sum += evaluate(term, 0);
  }
  return sum;
}

/// Without the coefficient.
std::optional<std::int64_t> least_quotient(const Quotient& quotient, int lane) {
  constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::min();
  const std::int64_t sum =
      std::clamp(least_sum(quotient.constant, quotient.terms, lane).value_or(kUnbounded),
                 quotient.least, std::max(quotient.least, quotient.most));
  if (sum == kUnbounded || quotient.divisor == 0) return std::nullopt;
  if (quotient.modulus == 0) return divide(quotient, sum);
  return sum < 0 ? std::nullopt : std::optional<std::int64_t>(0);
}

}  // namespace

std::optional<std::int64_t> least_in_lane(const Expression& expression, int lane) {
  std::optional<std::int64_t> sum = least_sum(expression.constant, expression.terms, lane);
  for (const Quotient& quotient : expression.quotients) {
    const auto least = least_quotient(quotient, lane);
    if (!sum || !least || quotient.coefficient < 0) return std::nullopt;
    *sum += quotient.coefficient * *least;
  }
  return sum;
}

std::optional<std::int64_t> remainder_in_lane(const Expression& expression, int lane,
                                              std::int64_t divisor) {
  std::int64_t sum = expression.constant;
  for (const Term& term : expression.terms) {
    if (term.coefficient % divisor == 0) continue;
    if (term.variable != Variable::kLane || term.divisor == 0) return std::nullopt;
    sum += evaluate(term, lane);
  }
  for (const Quotient& quotient : expression.quotients)
    if (quotient.coefficient % divisor != 0) return std::nullopt;
  return (sum % divisor + divisor) % divisor;
}

bool may_pass(const Guard& guard, int lane) {
  return std::ranges::all_of(guard.bounds, [lane](const Bound& bound) {
    const auto least = least_in_lane(bound.expression, lane);
    return least && *least < bound.limit;
  });
}

}  // namespace tcsim::isa
