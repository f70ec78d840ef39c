#include "models/isa/expression.hpp"

#include <algorithm>

namespace tcsim::isa {

namespace {

bool divides_by_zero(const std::vector<Term>& terms) {
  return std::ranges::any_of(terms, [](const Term& term) { return term.divisor == 0; });
}

}  // namespace

bool divides_by_zero(const Expression& expression) {
  return divides_by_zero(expression.terms) ||
         std::ranges::any_of(expression.quotients, [](const Quotient& quotient) {
           return quotient.divisor == 0 || divides_by_zero(quotient.terms);
         });
}

std::int64_t evaluate(const Expression& expression, const Bindings& bindings) {
  std::int64_t sum = expression.constant + evaluate(expression.terms, bindings);
  for (const Quotient& quotient : expression.quotients)
    sum += quotient.coefficient *
           divide(quotient, quotient.constant + evaluate(quotient.terms, bindings));
  return sum;
}

void bind_uniforms(std::span<const Expression> uniforms, Bindings& bindings,
                   std::optional<std::int64_t> taken) {
  auto place = static_cast<std::size_t>(Variable::kUniform0);
  if (taken) {
    bindings[place++] = *taken;
    uniforms = uniforms.subspan(1);
  }
  for (const Expression& uniform : uniforms) bindings[place++] = evaluate(uniform, bindings);
}

bool holds(const Guard& guard, const Bindings& bindings) {
  return std::ranges::all_of(guard.bounds, [&](const Bound& bound) {
    return evaluate(bound.expression, bindings) < bound.limit;
  });
}

}  // namespace tcsim::isa
