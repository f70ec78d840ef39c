#pragma once

#include <cstdint>
#include <span>

#include "models/functional/poll.hpp"
#include "models/numerics/element_type.hpp"
#include "sim/values/error_meter.hpp"
#include "sim/values/matrix.hpp"

namespace tcsim::values {

/// How far D deviates from the exact product. An element counts if it is finite and the row and the
/// column that produce it are, too.
struct ProductError : ErrorFigures {
  std::int64_t worst_batch = 0;  ///< place of max_ulp
  std::int64_t worst_row = 0;
  std::int64_t worst_column = 0;
};

/// If there are more products than this, only evenly chosen elements are compared, so that exact
/// sums take about ten seconds.
inline constexpr std::int64_t kMostExactProducts = std::int64_t{1} << 30;

/// Compares d = a x b, matrix by matrix, with the exact sum of exact products. `format` is that of
/// d. Requires matching shapes.
ProductError error_of_product(const Matrix& a, const Matrix& b, const Matrix& d,
                              numerics::ElementType format);

/// The same, with `matrices` stating which matrix of b each row of d belongs to (row_blocks.hpp);
/// rows without one are left out. Polls many times a second.
ProductError error_of_product(
    const Matrix& a, const Matrix& b, const Matrix& d, numerics::ElementType format,
    std::span<const std::int64_t> matrices, const functional::Poll& poll = [] {});

}  // namespace tcsim::values
