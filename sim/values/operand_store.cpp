#include "sim/values/operand_store.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "models/numerics/convert.hpp"
#include "models/numerics/exact_value.hpp"
#include "models/numerics/format.hpp"
#include "sim/values/element.hpp"

namespace tcsim::values {
namespace {

using kernels::Element;
using numerics::ElementType;
using numerics::RoundingMode;

std::size_t width_of(Element element) {
  return static_cast<std::size_t>(kernels::element_bytes(element));
}

std::uint64_t pattern_of(ElementType type, double value) {
  if (numerics::is_integer(type))
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
  if (type == ElementType::kFp64) return std::bit_cast<std::uint64_t>(value);
  const RoundingMode mode =
      type == ElementType::kTf32 ? RoundingMode::kNearestAway : RoundingMode::kNearestEven;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  if (numerics::is_fp8(type) && std::isfinite(value))
    return numerics::convert_saturating(ElementType::kFp64, bits, type);
  return numerics::convert(ElementType::kFp64, bits, type, mode);
}

/// True if pattern_of has replaced `value`, which is finite, by the largest number.
bool is_saturated(ElementType type, double value) {
  return numerics::is_fp8(type) &&
         numerics::convert(ElementType::kFp64, std::bit_cast<std::uint64_t>(value), type) !=
             pattern_of(type, value);
}

bool is_subnormal(ElementType type, double value) {
  if (numerics::is_integer(type) || value == 0) return false;
  const int smallest = numerics::format_of(type).exponent_of_subnormals();
  return std::abs(value) < std::ldexp(1.0, smallest);
}

/// Index in the buffer of element (row, column) of matrix `batch`.
std::int64_t index_of(const Matrix& shape, bool row_major, std::int64_t batch, std::int64_t row,
                      std::int64_t column) {
  const std::int64_t inside = row_major ? row * shape.columns + column : column * shape.rows + row;
  return batch * shape.rows * shape.columns + inside;
}

/// Calls action(element of the matrix, element of the buffer) for each element.
template <typename Action>
void for_each_place(const Matrix& shape, bool row_major, const Action& action) {
  std::int64_t element = 0;
  for (std::int64_t batch = 0; batch < shape.batch; ++batch)
    for (std::int64_t row = 0; row < shape.rows; ++row)
      for (std::int64_t column = 0; column < shape.columns; ++column)
        action(static_cast<std::size_t>(element++), index_of(shape, row_major, batch, row, column));
}

}  // namespace

void note(Conversion& conversion, ElementType type, double before, double after) {
  ++conversion.elements;
  if (std::isnan(before) || std::isinf(before)) return;
  if (std::isinf(after) || is_saturated(type, before)) {
    ++conversion.overflow;
    return;
  }
  if (is_subnormal(type, after)) ++conversion.subnormal;
  if (before == after) return;
  ++conversion.changed;
  if (after == 0) {
    ++conversion.underflow;
    return;
  }
  conversion.max_relative =
      std::max(conversion.max_relative, std::abs(after - before) / std::abs(before));
}

std::uint64_t pattern_at(std::span<const std::uint8_t> buffer, std::int64_t index,
                         Element element) {
  std::uint64_t pattern = 0;
  std::memcpy(&pattern, &buffer[place_of(index) * width_of(element)], width_of(element));
  return pattern;
}

void put_pattern(std::span<std::uint8_t> buffer, std::int64_t index, Element element,
                 std::uint64_t pattern) {
  std::memcpy(&buffer[place_of(index) * width_of(element)], &pattern, width_of(element));
}

std::int64_t element_of_a(const kernels::GemmProblem& problem, std::int64_t matrix, std::int64_t m,
                          std::int64_t k) {
  const bool along_k = problem.layout_a == kernels::Layout::kNormal;
  const std::int64_t stored_k = problem.stored_k();
  return matrix * problem.m * stored_k + (along_k ? m * stored_k + k : k * problem.m + m);
}

std::int64_t element_of_b(const kernels::GemmProblem& problem, std::int64_t matrix, std::int64_t k,
                          std::int64_t n) {
  const bool along_k = problem.layout_b == kernels::Layout::kTransposed;
  return matrix * problem.n * problem.k + (along_k ? n * problem.k + k : k * problem.n + n);
}

double value_of(ElementType type, std::uint64_t pattern) {
  if (type == ElementType::kInt8) return static_cast<std::int8_t>(pattern);
  if (type == ElementType::kInt32) return static_cast<std::int32_t>(pattern);
  return numerics::value_as_double(type, pattern);
}

Conversion store(const Matrix& matrix, const Placement& placement, std::span<std::uint8_t> buffer) {
  const ElementType type = type_of(placement.element);
  Conversion conversion;
  for_each_place(matrix, placement.row_major, [&](std::size_t element, std::int64_t place) {
    const double value = matrix.values[element];
    const std::uint64_t pattern = pattern_of(type, value);
    put_pattern(buffer, place, placement.element, pattern);
    note(conversion, type, value, value_of(type, pattern));
  });
  return conversion;
}

Matrix load(std::span<const std::uint8_t> buffer, const Placement& placement, std::int64_t batch,
            std::int64_t rows, std::int64_t columns) {
  const ElementType type = type_of(placement.element);
  Matrix matrix{batch, rows, columns, {}};
  matrix.values.resize(place_of(matrix.elements()));
  for_each_place(matrix, placement.row_major, [&](std::size_t element, std::int64_t place) {
    matrix.values[element] = value_of(type, pattern_at(buffer, place, placement.element));
  });
  return matrix;
}

}  // namespace tcsim::values
