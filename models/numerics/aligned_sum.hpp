#pragma once

#include <cstdint>
#include <span>

#include "models/numerics/exact_value.hpp"

namespace tcsim::numerics {

/// A term on the common grid, whose unit is 2^(maximum exponent - fraction bits).
struct AlignedTerm {
  std::int64_t value = 0;     ///< Signed multiple of the unit; the magnitude was cut toward zero.
  int shift = 0;              ///< Maximum exponent minus the exponent of the term, >= 0.
  int dropped_bits = 0;       ///< Low digits of the magnitude that fell below the grid.
  std::uint64_t dropped = 0;  ///< Those digits as an integer.
};

/// Maximum-exponent stage: the largest exponent of the non-zero terms, at least `floor`. With
/// `zeros_count` zero terms also take part (question Q4).
int maximum_exponent(std::span<const ExactValue> terms, int floor, bool zeros_count);

/// Align stage: the digits of `term` at or above 2^(maximum - grid_fraction_bits). Lower digits are
/// cut off the magnitude; the sign is kept separately. Requires a zero or finite term, maximum >=
/// its exponent unless the term is zero, and grid_fraction_bits <= 30.
AlignedTerm align(const ExactValue& term, int maximum, int grid_fraction_bits);

}  // namespace tcsim::numerics
