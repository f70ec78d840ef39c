#pragma once

#include <algorithm>
#include <vector>

#include "models/isa/expression.hpp"

namespace tcsim::isa {

/// True if `test` holds for some variable of `expression`.
template <typename Test>
bool any_variable(const Expression& expression, const Test& test) {
  const auto in_terms = [&](const std::vector<Term>& terms) {
    return std::ranges::any_of(terms, [&](const Term& term) { return test(term.variable); });
  };
  return in_terms(expression.terms) ||
         std::ranges::any_of(expression.quotients,
                             [&](const Quotient& quotient) { return in_terms(quotient.terms); });
}

}  // namespace tcsim::isa
