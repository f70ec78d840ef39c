#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tcsim::values {

/// `index`, which is not negative, for a container.
inline std::size_t place_of(std::int64_t index) { return static_cast<std::size_t>(index); }

/// A batch of matrices, row-major, as the user knows them: before conversion to a kernel's format.
/// A double holds every number of a kernel's formats exactly: FP8, FP16, BF16, TF32, FP32, FP64,
/// INT8 and INT32.
struct Matrix {
  std::int64_t batch = 1;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<double> values;

  [[nodiscard]] std::int64_t elements() const { return batch * rows * columns; }
  [[nodiscard]] double at(std::int64_t index, std::int64_t row, std::int64_t column) const {
    return values[place_of((index * rows + row) * columns + column)];
  }
};

/// Where element `index` of `values` lies, for messages: "row 3, column 4", in a batch "row 3,
/// column 4 of matrix 1".
inline std::string place_text(const Matrix& matrix, std::int64_t index) {
  const std::int64_t row = index / matrix.columns;
  return "row " + std::to_string(row % matrix.rows) + ", column " +
         std::to_string(index % matrix.columns) +
         (matrix.batch > 1 ? " of matrix " + std::to_string(row / matrix.rows) : "");
}

}  // namespace tcsim::values
