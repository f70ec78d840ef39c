#pragma once

#include <cstddef>
#include <cstdint>
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

}  // namespace tcsim::values
