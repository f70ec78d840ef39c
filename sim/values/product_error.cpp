#include "sim/values/product_error.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "sim/values/exact_sum.hpp"
#include "sim/values/row_blocks.hpp"

namespace tcsim::values {
namespace {

/// Vectors along k of a batch of matrices, adjacent in memory, and which of them are finite.
struct Vectors {
  std::vector<double> values;
  std::vector<bool> finite;
  std::size_t length;

  [[nodiscard]] std::span<const double> operator[](std::size_t index) const {
    return std::span(values).subspan(index * length, length);
  }
};

bool all_finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

Vectors with_marks(std::vector<double> values, std::size_t length) {
  Vectors vectors{std::move(values), {}, length};
  const std::size_t count = vectors.values.size() / length;
  for (std::size_t i = 0; i < count; ++i) vectors.finite.push_back(all_finite(vectors[i]));
  return vectors;
}

Vectors rows_of(const Matrix& matrix) {
  return with_marks(matrix.values, static_cast<std::size_t>(matrix.columns));
}

Vectors columns_of(const Matrix& matrix) {
  std::vector<double> values;
  values.reserve(matrix.values.size());
  for (std::int64_t batch = 0; batch < matrix.batch; ++batch)
    for (std::int64_t column = 0; column < matrix.columns; ++column)
      for (std::int64_t row = 0; row < matrix.rows; ++row)
        values.push_back(matrix.at(batch, row, column));
  return with_marks(std::move(values), static_cast<std::size_t>(matrix.rows));
}

ExactSum product_of(std::span<const double> row, std::span<const double> column) {
  ExactSum sum;
  for (std::size_t k = 0; k < row.size(); ++k) sum.add_product(row[k], column[k]);
  return sum;
}

/// The distance between two compared elements. Odd and coprime to most sizes, so that rows and
/// columns vary.
std::int64_t stride_for(const Matrix& d, std::int64_t k) {
  const std::int64_t products = d.elements() * k;
  if (products <= kMostExactProducts) return 1;
  std::int64_t stride = products / kMostExactProducts + 1;
  while (std::gcd(stride, d.columns) != 1) ++stride;
  return stride;
}

}  // namespace

ProductError error_of_product(const Matrix& a, const Matrix& b, const Matrix& d,
                              numerics::ElementType format) {
  std::vector<std::int64_t> matrices;
  for (std::int64_t row = 0; row < d.batch * d.rows; ++row) matrices.push_back(row / d.rows);
  return error_of_product(a, b, d, format, matrices);
}

ProductError error_of_product(const Matrix& a, const Matrix& b, const Matrix& d,
                              numerics::ElementType format, std::span<const std::int64_t> matrices,
                              const functional::Poll& poll) {
  constexpr std::int64_t kElementsPerPoll = 64;
  const Vectors rows = rows_of(a);
  const Vectors columns = columns_of(b);
  const std::int64_t stride = stride_for(d, a.columns);
  ErrorMeter meter(format);
  for (std::int64_t i = 0; i < d.elements(); i += stride) {
    if (i / stride % kElementsPerPoll == 0) poll();
    const std::int64_t column = i % d.columns;
    const auto a_row = static_cast<std::size_t>(i / d.columns);
    if (matrices[a_row] == kUndefined) continue;
    const auto b_column = static_cast<std::size_t>(matrices[a_row] * d.columns + column);
    const double value = d.values[static_cast<std::size_t>(i)];
    if (!rows.finite[a_row] || !columns.finite[b_column] || !std::isfinite(value)) continue;
    ExactSum sum = product_of(rows[a_row], columns[b_column]);
    const double exact = sum.value();
    sum.add(-value);
    meter.add(i, exact, std::abs(sum.value()));
  }
  const std::int64_t worst = meter.worst();
  return {meter.figures(), worst / d.columns / d.rows, worst / d.columns % d.rows,
          worst % d.columns};
}

}  // namespace tcsim::values
