#include "sim/values/special_values.hpp"

#include <cmath>

#include "models/numerics/format.hpp"

namespace tcsim::values {

SpecialValues count_specials(std::span<const double> values, numerics::ElementType type) {
  SpecialValues specials;
  const bool integer = numerics::is_integer(type);
  const double smallest_normal =
      integer ? 0 : std::ldexp(1.0, numerics::format_of(type).exponent_of_subnormals());
  for (const double value : values) {
    if (std::isnan(value)) ++specials.nans;
    if (std::isinf(value)) ++specials.infinities;
    if (value == 0) ++specials.zeros;
    if (value != 0 && std::abs(value) < smallest_normal) ++specials.subnormals;
  }
  return specials;
}

}  // namespace tcsim::values
