#pragma once

#include <cstdint>
#include <span>

#include "models/numerics/element_type.hpp"
#include "sim/values/error_meter.hpp"
#include "sim/values/matrix.hpp"

namespace tcsim::values {

/// How far D lies from the exact product. An element takes part when it and the row and the column
/// behind it are finite.
struct ProductError : ErrorFigures {
  std::int64_t worst_batch = 0;  ///< of max_ulp
  std::int64_t worst_row = 0;
  std::int64_t worst_column = 0;
};

/// Elements compared are thinned out evenly so that their products stay below this number, about
/// ten seconds of exact sums.
inline constexpr std::int64_t kMostExactProducts = std::int64_t{1} << 30;

/// Compares d = a x b, matrix by matrix, with the exact sum of exact products. `format` is that of
/// d. Requires shapes that match.
ProductError error_of_product(const Matrix& a, const Matrix& b, const Matrix& d,
                              numerics::ElementType format);

/// The same where `matrices` says which matrix of b each row of d goes with (row_blocks.hpp); rows
/// without one are left out.
ProductError error_of_product(const Matrix& a, const Matrix& b, const Matrix& d,
                              numerics::ElementType format, std::span<const std::int64_t> matrices);

}  // namespace tcsim::values
