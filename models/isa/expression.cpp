#include "models/isa/expression.hpp"

namespace tcsim::isa {

std::int64_t evaluate(const Expression& expression, const Bindings& bindings) {
  std::int64_t sum = expression.constant;
  for (const Term& term : expression.terms)
    sum += evaluate(term, bindings[static_cast<std::size_t>(term.variable)]);
  return sum;
}

}  // namespace tcsim::isa
