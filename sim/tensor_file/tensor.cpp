#include "sim/tensor_file/tensor.hpp"

#include <bit>
#include <cstring>

namespace tcsim::tensor_file {

static_assert(std::endian::native == std::endian::little, "elements are copied as they lie");

std::optional<std::int64_t> byte_count(std::span<const std::int64_t> shape, StoredType type) {
  std::int64_t bytes = info(type).bytes;
  bool is_empty = false;
  for (const std::int64_t extent : shape) {
    if (extent == 0)
      is_empty = true;
    else if (__builtin_mul_overflow(bytes, extent, &bytes))
      return std::nullopt;
  }
  return is_empty ? 0 : bytes;
}

std::uint64_t pattern(const Tensor& tensor, std::int64_t index) {
  const auto width = static_cast<std::size_t>(info(tensor.type).bytes);
  std::uint64_t value = 0;
  std::memcpy(&value, &tensor.bytes[static_cast<std::size_t>(index) * width], width);
  return value;
}

std::vector<std::uint64_t> to_patterns(const Tensor& tensor) {
  const auto count = std::ssize(tensor.bytes) / info(tensor.type).bytes;
  std::vector<std::uint64_t> patterns;
  patterns.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) patterns.push_back(pattern(tensor, i));
  return patterns;
}

}  // namespace tcsim::tensor_file
