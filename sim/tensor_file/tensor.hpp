#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/tensor_file/stored_type.hpp"

namespace tcsim::tensor_file {

/// A dense array in row-major (C) order, little-endian elements back to back.
struct Tensor {
  StoredType type = StoredType::kFp32;
  std::vector<std::int64_t> shape;  ///< Extents, each >= 0; empty: one element.
  std::vector<std::uint8_t> bytes;

  bool operator==(const Tensor&) const = default;
};

/// Bytes of an array of this shape; nothing if they exceed 2^63 - 1, also if an extent of 0 hides
/// that the others are too large. Requires no negative extent.
std::optional<std::int64_t> byte_count(std::span<const std::int64_t> shape, StoredType type);

/// Bit pattern of element `index` in row-major order, zero-extended.
std::uint64_t pattern(const Tensor& tensor, std::int64_t index);

/// The whole tensor as bit patterns.
std::vector<std::uint64_t> to_patterns(const Tensor& tensor);

}  // namespace tcsim::tensor_file
