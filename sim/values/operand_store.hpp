#pragma once

#include <cstdint>
#include <span>

#include "models/numerics/element_type.hpp"
#include "sim/values/matrix.hpp"
#include "workloads/kernels/gemm.hpp"

namespace tcsim::values {

/// How rounding to the kernel's format changed an operand. Relative errors are over the elements
/// that are finite and not zero before and after, without overflows.
struct Conversion {
  std::int64_t elements = 0;
  std::int64_t changed = 0;    ///< not representable: rounded
  std::int64_t overflow = 0;   ///< finite, became infinite (in FP8 the largest number)
  std::int64_t subnormal = 0;  ///< results below the smallest normal number, but not zero
  std::int64_t underflow = 0;  ///< not zero, became zero
  double max_relative = 0;

  /// True if it changed no element.
  [[nodiscard]] bool is_exact() const { return changed == 0 && overflow == 0; }
};

/// Records in `conversion` that `before` became `after`, a number of `type`.
void note(Conversion& conversion, numerics::ElementType type, double before, double after);

/// Where element (row, column) of a matrix of a batch is in a buffer.
struct Placement {
  kernels::Element element;
  bool row_major;
};

/// Writes `matrix` to `buffer` in the kernel's format and order, rounded as by conversion
/// instructions: to nearest even, TF32 to nearest away (numerics reference section 4). In FP8,
/// finite values beyond the range become the largest number of the same sign. INT8 and INT32
/// require integers in range. Requires a buffer of matrix.elements() elements.
Conversion store(const Matrix& matrix, const Placement& placement, std::span<std::uint8_t> buffer);

/// The values in a buffer, in the order of the matrix.
Matrix load(std::span<const std::uint8_t> buffer, const Placement& placement, std::int64_t batch,
            std::int64_t rows, std::int64_t columns);

/// Index in its buffer of element (m, k) of matrix `matrix` of A, where k counts what a sparse A
/// stores, and of element (k, n) of B. Operands lie as the layouts of `problem` say.
std::int64_t element_of_a(const kernels::GemmProblem& problem, std::int64_t matrix, std::int64_t m,
                          std::int64_t k);
std::int64_t element_of_b(const kernels::GemmProblem& problem, std::int64_t matrix, std::int64_t k,
                          std::int64_t n);

/// Pattern `index` of a little-endian buffer of `element`.
std::uint64_t pattern_at(std::span<const std::uint8_t> buffer, std::int64_t index,
                         kernels::Element element);
void put_pattern(std::span<std::uint8_t> buffer, std::int64_t index, kernels::Element element,
                 std::uint64_t pattern);

/// The number that a pattern stands for, including integers.
double value_of(numerics::ElementType type, std::uint64_t pattern);

}  // namespace tcsim::values
