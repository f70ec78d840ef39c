#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sim/values/operand_store.hpp"

namespace tcsim::values {

/// A batch of one matrix; `values` row by row.
inline Matrix matrix(std::int64_t rows, std::int64_t columns, std::vector<double> values) {
  return {1, rows, columns, std::move(values)};
}

}  // namespace tcsim::values
