#pragma once

#include <cstdint>
#include <span>

#include "models/numerics/element_type.hpp"
#include "sim/values/matrix.hpp"
#include "workloads/kernels/gemm.hpp"

namespace tcsim::values {

/// What rounding an operand to the kernel's format did to it. Relative errors are over the elements
/// that are finite and not zero, before and after, without overflows.
struct Conversion {
  std::int64_t elements = 0;
  std::int64_t changed = 0;    ///< not representable: rounded
  std::int64_t overflow = 0;   ///< finite, became infinite, in FP8 the largest number
  std::int64_t subnormal = 0;  ///< results below the smallest normal number, but not zero
  std::int64_t underflow = 0;  ///< not zero, became zero
  double max_relative = 0;
};

/// Notes in `conversion` that `before` became `after`, a number of `type`.
void note(Conversion& conversion, numerics::ElementType type, double before, double after);

/// Where element (row, column) of a matrix of a batch lies in a buffer.
struct Placement {
  kernels::Element element;
  bool row_major;
};

/// Writes `matrix` to `buffer` in the kernel's format and order, rounding as conversion
/// instructions do: to nearest even, TF32 to nearest away (numerics reference section 4), FP8 with
/// the largest number, of the same sign, for finite ones beyond its range. INT8 and INT32 require
/// whole values in range. Requires a buffer of matrix.elements() elements.
Conversion store(const Matrix& matrix, const Placement& placement, std::span<std::uint8_t> buffer);

/// The values that a buffer holds, element order undone.
Matrix load(std::span<const std::uint8_t> buffer, const Placement& placement, std::int64_t batch,
            std::int64_t rows, std::int64_t columns);

/// Pattern `index` of a little-endian buffer of `element`.
std::uint64_t pattern_at(std::span<const std::uint8_t> buffer, std::int64_t index,
                         kernels::Element element);
void put_pattern(std::span<std::uint8_t> buffer, std::int64_t index, kernels::Element element,
                 std::uint64_t pattern);

/// The number behind a pattern, integers included.
double value_of(numerics::ElementType type, std::uint64_t pattern);

}  // namespace tcsim::values
