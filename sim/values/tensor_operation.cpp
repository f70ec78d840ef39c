#include "sim/values/tensor_operation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "models/numerics/convert.hpp"
#include "models/numerics/format.hpp"
#include "sim/values/element.hpp"
#include "sim/values/product_error.hpp"

namespace tcsim::values {

std::int64_t TensorShape::elements() const {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

std::int64_t thinning(std::int64_t items, std::int64_t each, std::int64_t period) {
  std::int64_t stride = items * each / kMostExactProducts + 1;
  while (stride > 1 && std::gcd(stride, period) != 1) ++stride;
  return stride;
}

double rounding_to(kernels::Element element, double value) {
  const numerics::ElementType type = type_of(element);
  return numerics::is_integer(type) ? 0 : ulp(type, value) / 2;
}

StoredNumber stored_number(kernels::Element element, double exact, double allowed) {
  constexpr double kHalfStep = 0.5;
  if (element == kernels::Element::kInt8)
    return {std::clamp(exact, -128.0, 127.0), allowed + kHalfStep};
  if (!std::isfinite(allowed)) return {exact, allowed};
  constexpr double kTwice = 1.01;  // rounded from a number that is not exact
  return {exact, allowed + kTwice * rounding_to(element, std::abs(exact) + allowed)};
}

double sum_error(kernels::Element element, double magnitude, double roundings) {
  const numerics::ElementType type = type_of(element);
  if (numerics::is_integer(type)) return 0;
  const double error =
      2 * roundings * (unit_roundoff(element) * magnitude + rounding_to(element, 0));
  const double largest =
      numerics::value_as_double(type, numerics::format_of(type).largest_finite());
  return magnitude + error > largest ? std::numeric_limits<double>::infinity() : error;
}

double unit_roundoff(kernels::Element element) {
  const numerics::ElementType type = type_of(element);
  if (numerics::is_integer(type)) return 0;
  return std::ldexp(1.0, -1 - numerics::format_of(type).fraction_bits);
}

}  // namespace tcsim::values
