#pragma once

#include <cstdint>

#include "models/numerics/format.hpp"

namespace tcsim::numerics {

enum class ValueClass : std::uint8_t { kZero, kFinite, kInfinity, kNan };

/// An exact number: (-1)^negative * magnitude * 2^(exponent - fraction_bits).
/// The magnitude is not normalised: a subnormal keeps the smallest normal exponent with leading
/// zeros, and a product of two significands in [1, 2) is in [1, 4). The tensor core compares these
/// exponents as they are (numerics reference section 2, details 1 and 2).
struct ExactValue {
  ValueClass value_class = ValueClass::kZero;
  bool negative = false;
  int exponent = 0;
  std::uint64_t magnitude = 0;
  int fraction_bits = 0;
};

/// Decode stage: the value of `pattern` in `format`. Bits above the format are ignored.
ExactValue decode(const Format& format, std::uint64_t pattern);

/// Product stage: a * b, exact. Infinity times zero is a NaN; a NaN operand gives a NaN. Requires
/// magnitudes whose product fits 64 bits, which holds for every tensor-core input format.
ExactValue multiply(const ExactValue& a, const ExactValue& b);

}  // namespace tcsim::numerics
