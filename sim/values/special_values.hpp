#pragma once

#include <cstdint>
#include <span>

#include "models/numerics/element_type.hpp"

namespace tcsim::values {

/// How many elements of a result are not ordinary numbers.
struct SpecialValues {
  std::int64_t infinities = 0;  ///< overflows, unless an operand contained an infinity
  std::int64_t nans = 0;
  std::int64_t subnormals = 0;
  std::int64_t zeros = 0;
};

/// The counts for `values`, elements of `type`.
SpecialValues count_specials(std::span<const double> values, numerics::ElementType type);

}  // namespace tcsim::values
