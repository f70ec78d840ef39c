#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tcsim::tensor_file {

/// Elements of `width` bytes, first index fastest, rearranged to last index fastest. Requires
/// bytes.size() == width * product of the extents.
std::vector<std::uint8_t> c_order_of_fortran_order(std::span<const std::uint8_t> bytes,
                                                   std::span<const std::int64_t> shape, int width);

}  // namespace tcsim::tensor_file
