#pragma once

#include <cstdint>
#include <span>

#include "models/numerics/element_type.hpp"

namespace tcsim::quantization {

/// A row-major matrix stored elsewhere. Requires values.size() == rows * columns.
template <typename Value>
struct MatrixView {
  std::span<const Value> values;
  std::int64_t rows = 0;
  std::int64_t columns = 0;

  Value at(std::int64_t row, std::int64_t column) const {
    return values[static_cast<std::size_t>(row * columns + column)];
  }
};

/// Which elements share a scale and a zero point.
enum class Granularity : std::uint8_t { kTensor, kRow, kColumn };

enum class Symmetry : std::uint8_t {
  kSymmetric,   ///< Zero is the middle of the range: 0 of INT8, 128 of UINT8.
  kAsymmetric,  ///< The zero point is free, so that the range fits the data.
};

struct Scheme {
  numerics::ElementType type = numerics::ElementType::kInt8;  ///< kInt8 or kUint8.
  Symmetry symmetry = Symmetry::kSymmetric;
  Granularity granularity = Granularity::kTensor;
};

/// The integers that a scheme uses, from least to greatest. A symmetric scheme omits the lowest
/// pattern, so that the range is the same for both signs.
struct IntegerRange {
  int least = -128;
  int greatest = 127;

  int steps() const { return greatest - least; }
};

constexpr IntegerRange range_of(const Scheme& scheme) {
  const int first = scheme.type == numerics::ElementType::kUint8 ? 0 : -128;
  return {scheme.symmetry == Symmetry::kSymmetric ? first + 1 : first, first + 255};
}

/// r = scale * (q - zero_point).
struct QuantizationParams {
  float scale = 1;  ///< Positive and finite.
  int zero_point = 0;

  bool operator==(const QuantizationParams&) const = default;
};

}  // namespace tcsim::quantization
