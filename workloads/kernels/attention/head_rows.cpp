#include "workloads/kernels/attention/head_rows.hpp"

#include <utility>

namespace tcsim::kernels {

isa::TensorMap head_map(std::string name, int buffer, const HeadRows& tensor, int box_rows,
                        isa::TileSwizzle swizzle) {
  const std::int64_t head = tensor.dim * tensor.bytes;
  isa::TensorMap map{.name = std::move(name), .buffer = buffer, .element_bytes = tensor.bytes};
  map.extents = {tensor.dim, tensor.rows, tensor.heads, tensor.batch};
  map.strides = {tensor.heads * head, head, tensor.rows * tensor.heads * head};
  map.box = {isa::row_bytes(swizzle) / tensor.bytes, box_rows, 1, 1};
  map.swizzle = swizzle;
  return map;
}

}  // namespace tcsim::kernels
