#include "models/isa/smallest_trips.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <numeric>
#include <vector>

namespace tcsim::isa {
namespace {

constexpr std::int64_t kMostTried = std::int64_t{1} << 22;  // less than a second
constexpr std::uint64_t kLongestPeriod = std::numeric_limits<std::uint32_t>::max();

using Extents = std::array<std::int64_t, 4>;  ///< of the CTA coordinates and the warp number

std::uint64_t common_period(std::uint64_t period, const Term& term) {
  const std::uint64_t repeats = std::uint64_t{term.divisor} * std::max(term.modulus, 1U);
  if (repeats > kLongestPeriod) return kLongestPeriod;
  return std::min(kLongestPeriod, std::lcm(period, repeats));
}

/// The smallest sum of `terms`, all of one variable, over its values below `extent`. From one
/// common period of all terms to the next the sum changes by a constant, so it is smallest in the
/// first or the last period. Only that one is tried, since a grid may have 2^31 CTAs. Empty if it
/// is too long to try.
std::optional<std::int64_t> smallest(const std::vector<Term>& terms, std::int64_t extent) {
  const auto sum_at = [&](std::int64_t value) {
    std::int64_t sum = 0;
    for (const Term& term : terms) sum += evaluate(term, value);
    return sum;
  };
  const std::uint64_t period =
      std::accumulate(terms.begin(), terms.end(), std::uint64_t{1}, common_period);
  const std::int64_t tried = std::min(static_cast<std::int64_t>(period), extent);
  if (tried > kMostTried) return std::nullopt;
  const bool is_first = tried == extent || sum_at(tried) >= sum_at(0);
  const std::int64_t begin = is_first ? 0 : extent - tried;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t value = begin; value < begin + tried; ++value)
    least = std::min(least, sum_at(value));
  return least;
}

/// Values [first, end) of a variable.
struct Values {
  std::int64_t first = 0;
  std::int64_t end = 1;
};

/// How an expression changes from one period of a variable to the next.
struct Course {
  std::uint64_t period = 1;
  bool rises = false;
  bool falls = false;

  /// Adds a term of the variable; `coefficient` may reverse its sign.
  void add(const Term& term, std::int64_t coefficient) {
    if (term.modulus > 0)
      period = common_period(period, term);
    else
      (term.coefficient < 0) == (coefficient < 0) ? rises = true : falls = true;
  }
  /// The values below `extent` among which the expression has its minimum.
  [[nodiscard]] Values worth_trying(std::int64_t extent) const {
    const std::int64_t tried =
        rises && falls ? extent : std::min(static_cast<std::int64_t>(period), extent);
    return falls ? Values{extent - tried, extent} : Values{0, tried};
  }
};

/// Clamps and divisions preserve the direction of a sum; remainders do not, unless the whole sum
/// repeats.
Course course_of(const Expression& expression, Variable variable) {
  Course course;
  const auto is_of_it = [variable](const Term& term) { return term.variable == variable; };
  for (const Term& term : expression.terms)
    if (is_of_it(term)) course.add(term, 1);
  for (const Quotient& quotient : expression.quotients)
    for (const Term& term : quotient.terms) {
      if (!is_of_it(term)) continue;
      course.add(term, quotient.coefficient);
      if (quotient.modulus > 0 && term.modulus == 0) course.rises = course.falls = true;
    }
  return course;
}

/// The smallest value of `expression` over `values` of the variables from `variable` on.
std::int64_t smallest_tried(const Expression& expression,
                            const std::array<Values, std::tuple_size_v<Extents>>& values,
                            Bindings& bindings, std::size_t variable) {
  if (variable == values.size()) return evaluate(expression, bindings);
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t value = values[variable].first; value < values[variable].end; ++value) {
    bindings[variable] = value;
    least = std::min(least, smallest_tried(expression, values, bindings, variable + 1));
  }
  return least;
}

/// The smallest value of an expression that divides sums, which combine several variables.
std::optional<std::int64_t> smallest_of_quotients(const Expression& expression,
                                                  const Extents& extents) {
  std::array<Values, std::tuple_size_v<Extents>> values;
  std::int64_t looks = 1;
  for (std::size_t v = 0; v < extents.size(); ++v) {
    values[v] = course_of(expression, static_cast<Variable>(v)).worth_trying(extents[v]);
    const std::int64_t tried = values[v].end - values[v].first;
    if (tried > kMostTried / looks) return std::nullopt;
    looks *= tried;
  }
  Bindings bindings{};
  return smallest_tried(expression, values, bindings, 0);
}

}  // namespace

bool keeps_direction(const Expression& trips, Variable variable) {
  const Course course = course_of(trips, variable);
  return course.period == 1 && !(course.rises && course.falls);
}

std::optional<std::int64_t> smallest_trips(const Expression& trips, const KernelLaunch& launch) {
  Extents extents{launch.grid[0], launch.grid[1], launch.grid[2], launch.warps_per_cta};
  // An empty grid breaks a rule of its own; here it counts as one CTA.
  for (std::int64_t& extent : extents) extent = std::max<std::int64_t>(extent, 1);
  if (!trips.quotients.empty()) return smallest_of_quotients(trips, extents);
  // Without divided sums the variables are independent: the terms of each can be minimised
  // separately.
  std::int64_t sum = trips.constant;
  for (std::size_t v = 0; v < extents.size(); ++v) {
    std::vector<Term> terms;
    std::ranges::copy_if(trips.terms, std::back_inserter(terms), [v](const Term& term) {
      return static_cast<std::size_t>(term.variable) == v;
    });
    const std::optional<std::int64_t> least = smallest(terms, extents[v]);
    if (!least) return std::nullopt;
    sum += *least;
  }
  return sum;
}

std::optional<std::int64_t> largest_trips(Expression trips, const KernelLaunch& launch) {
  const auto negate = [](auto& parts) {
    for (auto& part : parts) part.coefficient = -part.coefficient;
  };
  trips.constant = -trips.constant;
  negate(trips.terms);
  negate(trips.quotients);
  const std::optional<std::int64_t> smallest = smallest_trips(trips, launch);
  if (!smallest) return std::nullopt;
  return -*smallest;
}

}  // namespace tcsim::isa
