#include "models/isa/lane_value.hpp"

#include <algorithm>
#include <limits>

#include "models/isa/any_variable.hpp"

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

/// The same for a quotient without its coefficient.
std::optional<std::int64_t> least_quotient(const Quotient& quotient, int lane) {
  constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::min();
  const std::int64_t sum =
      std::clamp(least_sum(quotient.constant, quotient.terms, lane).value_or(kUnbounded),
                 quotient.least, std::max(quotient.least, quotient.most));
  if (sum == kUnbounded || quotient.divisor == 0) return std::nullopt;
  if (quotient.modulus == 0) return divide(quotient, sum);
  return sum < 0 ? std::nullopt : std::optional<std::int64_t>(0);
}

/// The value of `expression` in `lane`; empty if it also depends on other variables.
std::optional<std::int64_t> value_in_lane(const Expression& expression, int lane) {
  if (!hangs_on_lane_alone(expression) || divides_by_zero(expression)) return std::nullopt;
  Bindings bindings{};
  bindings[static_cast<std::size_t>(Variable::kLane)] = lane;
  return evaluate(expression, bindings);
}

}  // namespace

bool hangs_on_lane_alone(const Expression& expression) {
  return !any_variable(expression, [](Variable used) { return used != Variable::kLane; });
}

std::optional<std::int64_t> least_in_lane(const Expression& expression, int lane) {
  if (const auto value = value_in_lane(expression, lane)) return value;
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
  const auto wrapped = [divisor](std::int64_t sum) { return (sum % divisor + divisor) % divisor; };
  if (const auto value = value_in_lane(expression, lane)) return wrapped(*value);
  std::int64_t sum = expression.constant;
  for (const Term& term : expression.terms) {
    if (term.coefficient % divisor == 0) continue;
    if (term.variable != Variable::kLane || term.divisor == 0) return std::nullopt;
    sum += evaluate(term, lane);
  }
  for (const Quotient& quotient : expression.quotients)
    if (quotient.coefficient % divisor != 0) return std::nullopt;
  return wrapped(sum);
}

bool passes_first(const Guard& guard, int lane, int warp) {
  const bool is_known = std::ranges::none_of(guard.bounds, [](const Bound& bound) {
    return divides_by_zero(bound.expression) || any_variable(bound.expression, [](Variable used) {
             return used >= Variable::kUniform0;
           });
  });
  if (!is_known) return false;
  Bindings bindings{};
  bindings[static_cast<std::size_t>(Variable::kLane)] = lane;
  bindings[static_cast<std::size_t>(Variable::kWarp)] = warp;
  return holds(guard, bindings);
}

}  // namespace tcsim::isa
