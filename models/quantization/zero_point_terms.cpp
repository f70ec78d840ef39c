#include "models/quantization/zero_point_terms.hpp"

#include <cstddef>
#include <vector>

namespace tcsim::quantization {
namespace {

/// Sums of the integers of each row.
std::vector<std::int64_t> row_sums(const MatrixView<std::int32_t>& matrix) {
  std::vector<std::int64_t> sums(static_cast<std::size_t>(matrix.rows));
  for (std::int64_t row = 0; row < matrix.rows; ++row)
    for (std::int64_t column = 0; column < matrix.columns; ++column)
      sums[static_cast<std::size_t>(row)] += matrix.at(row, column);
  return sums;
}

/// Sums of the integers of each column.
std::vector<std::int64_t> column_sums(const MatrixView<std::int32_t>& matrix) {
  std::vector<std::int64_t> sums(static_cast<std::size_t>(matrix.columns));
  for (std::int64_t row = 0; row < matrix.rows; ++row)
    for (std::int64_t column = 0; column < matrix.columns; ++column)
      sums[static_cast<std::size_t>(column)] += matrix.at(row, column);
  return sums;
}

}  // namespace

numerics::Result<Integers> without_zero_points(const MatrixView<std::int32_t>& sums,
                                               const MatrixView<std::int32_t>& a,
                                               const Quantizer& a_quantizer,
                                               const MatrixView<std::int32_t>& b,
                                               const Quantizer& b_quantizer) {
  if (sums.rows != a.rows || sums.columns != b.columns || a.columns != b.rows)
    return numerics::mistake("the shapes of A, B and D do not fit a product");
  if (a_quantizer.scheme().granularity == Granularity::kColumn ||
      b_quantizer.scheme().granularity == Granularity::kRow)
    return numerics::mistake("zero points along k cannot be taken out of the sums");
  const std::vector<std::int64_t> a_sums = row_sums(a);
  const std::vector<std::int64_t> b_sums = column_sums(b);
  Integers result;
  result.reserve(sums.values.size());
  for (std::int64_t row = 0; row < sums.rows; ++row)
    for (std::int64_t column = 0; column < sums.columns; ++column) {
      const std::int64_t a_zero = a_quantizer.params_of(row, 0).zero_point;
      const std::int64_t b_zero = b_quantizer.params_of(0, column).zero_point;
      const std::int64_t sum =
          sums.at(row, column) - b_zero * a_sums[static_cast<std::size_t>(row)] -
          a_zero * b_sums[static_cast<std::size_t>(column)] + a.columns * a_zero * b_zero;
      result.push_back(static_cast<std::int32_t>(sum));  // modulo 2^32
    }
  return result;
}

}  // namespace tcsim::quantization
