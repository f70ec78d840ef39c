#pragma once

#include <string>

#include "models/isa/async_operands.hpp"

namespace tcsim::kernels {

/// A tensor [batch][rows][heads][dim] with elements of `bytes` bytes.
struct HeadRows {
  std::int64_t batch;
  std::int64_t rows;
  std::int64_t heads;
  std::int64_t dim;
  int bytes;
};

/// Boxes of `box_rows` rows of a head, as wide as a row of `swizzle`; coordinates are column, row,
/// head and batch.
isa::TensorMap head_map(std::string name, int buffer, const HeadRows& tensor, int box_rows,
                        isa::TileSwizzle swizzle);

}  // namespace tcsim::kernels
