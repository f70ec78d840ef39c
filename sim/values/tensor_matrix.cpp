#include "sim/values/tensor_matrix.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "models/numerics/convert.hpp"
#include "sim/config/error.hpp"
#include "sim/values/element.hpp"

namespace tcsim::values {
namespace {

using numerics::ElementType;
using tensor_file::StoredType;
using tensor_file::Tensor;

config::ConfigError mistake(std::string line) {
  return config::ConfigError(std::vector<std::string>{std::move(line)});
}

template <typename Integer>
double integer_value(std::uint64_t pattern) {
  return static_cast<double>(static_cast<Integer>(pattern));
}

double number_of(StoredType type, std::uint64_t pattern) {
  switch (type) {
    case StoredType::kFp16:
      return numerics::value_as_double(ElementType::kFp16, pattern);
    case StoredType::kBf16:
      return numerics::value_as_double(ElementType::kBf16, pattern);
    case StoredType::kFp32:
      return numerics::value_as_double(ElementType::kFp32, pattern);
    case StoredType::kFp64:
      return numerics::value_as_double(ElementType::kFp64, pattern);
    case StoredType::kE4m3:
      return numerics::value_as_double(ElementType::kE4m3, pattern);
    case StoredType::kE5m2:
      return numerics::value_as_double(ElementType::kE5m2, pattern);
    case StoredType::kInt8:
      return integer_value<std::int8_t>(pattern);
    case StoredType::kUint8:
      return integer_value<std::uint8_t>(pattern);
    case StoredType::kInt16:
      return integer_value<std::int16_t>(pattern);
    case StoredType::kUint16:
      return integer_value<std::uint16_t>(pattern);
    case StoredType::kInt32:
      return integer_value<std::int32_t>(pattern);
    case StoredType::kUint32:
      return integer_value<std::uint32_t>(pattern);
    case StoredType::kInt64:
      return integer_value<std::int64_t>(pattern);
  }
  return 0;
}

std::vector<std::int64_t> wanted_shape(const OperandShape& shape) {
  if (shape.batch == 1) return {shape.rows, shape.columns};
  return {shape.batch, shape.rows, shape.columns};
}

void require_shape(const Tensor& tensor, const OperandShape& shape, std::string_view name) {
  const std::vector<std::int64_t> wanted = wanted_shape(shape);
  if (tensor.shape == wanted) return;
  const std::string given =
      tensor.shape.empty() ? "a scalar" : fmt::format("{}", fmt::join(tensor.shape, " x "));
  throw mistake(fmt::format("{}: the array is {}; the workload needs {}{} = {}", name, given,
                            shape.batch == 1 ? "" : "batch x ", shape.words,
                            fmt::join(wanted, " x ")));
}

void require_int8(const Matrix& matrix, std::string_view name) {
  const auto fits = [](double value) {
    return value == std::nearbyint(value) && value >= -128 && value <= 127;
  };
  const auto bad = std::find_if_not(matrix.values.begin(), matrix.values.end(), fits);
  if (bad == matrix.values.end()) return;
  throw mistake(
      fmt::format("{}: {}: {} is no INT8 value; give whole numbers from -128 to 127, or add "
                  "--quantize",
                  name, place_text(matrix, bad - matrix.values.begin()), *bad));
}

/// The integers of `matrix` must be doubles too, or they would be rounded twice on their way to the
/// kernel's format.
void require_doubles(const Matrix& matrix, const std::vector<std::uint64_t>& integers,
                     std::string_view name) {
  constexpr std::int64_t kMost = std::int64_t{1} << 53;
  const auto fits = [](std::uint64_t pattern) {
    const auto integer = static_cast<std::int64_t>(pattern);
    return integer >= -kMost && integer <= kMost;
  };
  const auto bad = std::ranges::find_if_not(integers, fits);
  if (bad == integers.end()) return;
  throw mistake(fmt::format("{}: {}: {} would be rounded twice; give integers from -2^53 to 2^53",
                            name, place_text(matrix, bad - integers.begin()),
                            static_cast<std::int64_t>(*bad)));
}

}  // namespace

Matrix matrix_of(const Tensor& tensor, const OperandShape& shape, kernels::Element element,
                 std::string_view name) {
  require_shape(tensor, shape, name);
  Matrix matrix{shape.batch, shape.rows, shape.columns, {}};
  matrix.values.reserve(static_cast<std::size_t>(matrix.elements()));
  const std::vector<std::uint64_t> patterns = tensor_file::to_patterns(tensor);
  for (const std::uint64_t pattern : patterns)
    matrix.values.push_back(number_of(tensor.type, pattern));
  if (element == kernels::Element::kInt8) require_int8(matrix, name);
  if (tensor.type == StoredType::kInt64) require_doubles(matrix, patterns, name);
  return matrix;
}

Tensor tensor_of_d(const kernels::GemmProblem& problem, const std::vector<std::uint8_t>& d) {
  Tensor tensor;
  tensor.type = tensor_file::stored_type_for(type_of(problem.output)).value();
  tensor.shape = wanted_shape({problem.batch, problem.m, problem.n, ""});
  tensor.bytes = d;
  return tensor;
}

Tensor tensor_of(const TensorShape& shape, const std::vector<std::uint8_t>& bytes) {
  Tensor tensor;
  tensor.type = tensor_file::stored_type_for(type_of(shape.element)).value();
  tensor.shape = shape.extents;
  tensor.bytes = bytes;
  return tensor;
}

}  // namespace tcsim::values
