#pragma once

#include <cstdint>

#include "models/numerics/element_type.hpp"
#include "sim/values/matrix.hpp"

namespace tcsim::values {

/// How far D lies from the exact product. An element takes part when it and the row and the column
/// behind it are finite.
struct ProductError {
  std::int64_t elements = 0;  ///< compared
  std::int64_t wrong = 0;     ///< not the exact product
  double max_ulp = 0;         ///< units in the last place of D's format, at the exact value
  double mean_ulp = 0;
  double max_relative = 0;  ///< over elements whose exact value is not zero
  double mean_relative = 0;
  double norm_relative = 0;  ///< Frobenius norm of the difference over that of the exact product
  std::int64_t worst_batch = 0;  ///< of max_ulp
  std::int64_t worst_row = 0;
  std::int64_t worst_column = 0;
};

/// Elements compared are thinned out evenly so that their products stay below this number, about
/// ten seconds of exact sums.
inline constexpr std::int64_t kMostExactProducts = std::int64_t{1} << 30;

/// Compares d = a x b with the exact sum of exact products. `format` is that of d.
/// Requires shapes that match.
ProductError error_of_product(const Matrix& a, const Matrix& b, const Matrix& d,
                              numerics::ElementType format);

/// One unit in the last place of `format` at `value`: the weight of the last fraction bit of the
/// number with the exponent of `value`. 1 for integers.
double ulp(numerics::ElementType format, double value);

}  // namespace tcsim::values
