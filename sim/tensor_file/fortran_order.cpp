#include "sim/tensor_file/fortran_order.hpp"

#include <cstring>

namespace tcsim::tensor_file {

std::vector<std::uint8_t> c_order_of_fortran_order(std::span<const std::uint8_t> bytes,
                                                   std::span<const std::int64_t> shape, int width) {
  std::vector<std::uint8_t> result(bytes.size());
  if (bytes.empty()) return result;
  const auto element = static_cast<std::size_t>(width);
  std::vector<std::int64_t> strides(shape.size());  // in bytes of the source
  std::int64_t stride = width;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    strides[i] = stride;
    stride *= shape[i];
  }
  std::vector<std::int64_t> index(shape.size());
  std::int64_t from = 0;
  for (std::size_t to = 0; to < result.size(); to += element) {
    std::memcpy(&result[to], &bytes[static_cast<std::size_t>(from)], element);
    for (std::size_t i = shape.size(); i-- > 0;) {  // counts up, last index fastest
      from += strides[i];
      if (++index[i] < shape[i]) break;
      from -= strides[i] * shape[i];
      index[i] = 0;
    }
  }
  return result;
}

}  // namespace tcsim::tensor_file
