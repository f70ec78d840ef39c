#include "sim/values/quantized_gemm.hpp"

#include <algorithm>
#include <cmath>

#include "models/quantization/requantize.hpp"
#include "models/quantization/zero_point_terms.hpp"

namespace tcsim::values {
namespace {

using numerics::Result;
using quantization::Granularity;
using quantization::MatrixView;
using quantization::QuantizationParams;
using quantization::Quantizer;
using quantization::Scheme;
using quantization::Symmetry;

std::vector<float> floats_of(const Matrix& matrix) {
  return {matrix.values.begin(), matrix.values.end()};
}

std::vector<std::int32_t> integers_of(const Matrix& matrix) {
  std::vector<std::int32_t> integers(matrix.values.size());
  std::ranges::transform(matrix.values, integers.begin(),
                         [](double value) { return static_cast<std::int32_t>(value); });
  return integers;
}

Matrix matrix_of_integers(const std::vector<std::int32_t>& integers, const Matrix& shape) {
  return {shape.batch, shape.rows, shape.columns, {integers.begin(), integers.end()}};
}

Result<Quantizer> quantizer_for(const MatrixView<float>& view, const Scheme& scheme,
                                const std::vector<float>& scales,
                                quantization::Calibration calibration) {
  if (scales.empty()) return quantization::calibrate(view, scheme, calibration);
  std::vector<QuantizationParams> params;
  for (const float scale : scales) params.push_back({scale, 0});
  return Quantizer::create(scheme, params);
}

/// Elements whose integer is at the end of the range and whose real value lies more than half a
/// step beyond it.
std::int64_t count_clipped(const MatrixView<float>& view, const Quantizer& quantizer) {
  const quantization::IntegerRange range = quantization::range_of(quantizer.scheme());
  std::int64_t clipped = 0;
  for (std::int64_t row = 0; row < view.rows; ++row) {
    for (std::int64_t column = 0; column < view.columns; ++column) {
      const QuantizationParams& params = quantizer.params_of(row, column);
      const double steps = static_cast<double>(view.at(row, column)) / params.scale;
      const double integer = std::nearbyint(steps) + params.zero_point;
      if (integer < range.least || integer > range.greatest) ++clipped;
    }
  }
  return clipped;
}

Result<QuantizedOperand> quantized(const Matrix& reals, const Scheme& scheme,
                                   const std::vector<float>& scales,
                                   quantization::Calibration calibration) {
  const std::vector<float> values = floats_of(reals);
  const MatrixView<float> view{values, reals.rows, reals.columns};
  if (const auto refusal = quantization::find_not_finite(view)) return *refusal;
  const Result<Quantizer> quantizer = quantizer_for(view, scheme, scales, calibration);
  if (!quantizer.has_value()) return quantizer.refusal();
  const Result<quantization::Integers> integers = quantizer.value().quantize(view);
  if (!integers.has_value()) return integers.refusal();
  return QuantizedOperand{matrix_of_integers(integers.value(), reals), quantizer.value(),
                          count_clipped(view, quantizer.value())};
}

std::vector<float> scales_of(const Quantizer& quantizer) {
  std::vector<float> scales;
  for (const QuantizationParams& params : quantizer.params()) scales.push_back(params.scale);
  return scales;
}

/// The real values that `sums` stand for.
Matrix reals_of(const Matrix& sums, const Quantizer& a, const Quantizer& b) {
  Matrix reals = sums;
  for (std::int64_t row = 0; row < sums.rows; ++row) {
    for (std::int64_t column = 0; column < sums.columns; ++column) {
      const double scale = static_cast<double>(a.params_of(row, 0).scale) *
                           static_cast<double>(b.params_of(0, column).scale);
      reals.values[static_cast<std::size_t>(row * sums.columns + column)] *= scale;
    }
  }
  return reals;
}

Result<RequantizedOutput> requantized(const Matrix& real_a, const Matrix& real_b,
                                      const Matrix& reals, const QuantizedOperand& a,
                                      const QuantizedOperand& b,
                                      const std::vector<std::int32_t>& sums,
                                      const QuantizationRequest& request) {
  const std::vector<float> values = floats_of(reals);
  const MatrixView<float> view{values, reals.rows, reals.columns};
  const Scheme scheme{numerics::ElementType::kInt8, request.symmetry, Granularity::kTensor};
  const Result<Quantizer> output = quantization::calibrate(view, scheme, request.calibration);
  if (!output.has_value()) return output.refusal();
  const auto steps = quantization::make_requantization(a.quantizer, b.quantizer, output.value());
  if (!steps.has_value()) return steps.refusal();
  const MatrixView<std::int32_t> sums_view{sums, reals.rows, reals.columns};
  const auto integers = quantization::requantize(sums_view, steps.value());
  if (!integers.has_value()) return integers.refusal();
  const QuantizationParams& params = output.value().params().front();
  RequantizedOutput result;
  result.scale = params.scale;
  result.zero_point = params.zero_point;
  result.saturated = count_clipped(view, output.value());
  Matrix again = matrix_of_integers(integers.value(), reals);
  for (double& value : again.values) value = (value - params.zero_point) * params.scale;
  result.error = error_of_product(real_a, real_b, again, numerics::ElementType::kFp32);
  return result;
}

}  // namespace

Result<QuantizedOperand> quantize_a(const Matrix& reals, const QuantizationRequest& request) {
  const Scheme scheme{numerics::ElementType::kInt8, request.symmetry, Granularity::kTensor};
  return quantized(reals, scheme, request.scales_a, request.calibration);
}

Result<QuantizedOperand> quantize_b(const Matrix& reals, const QuantizationRequest& request) {
  const Scheme scheme{numerics::ElementType::kInt8, Symmetry::kSymmetric,
                      request.per_channel ? Granularity::kColumn : Granularity::kTensor};
  return quantized(reals, scheme, request.scales_b, request.calibration);
}

Result<QuantizationError> quantization_error(const Matrix& real_a, const Matrix& real_b,
                                             const QuantizedOperand& a, const QuantizedOperand& b,
                                             const Matrix& sums,
                                             const QuantizationRequest& request) {
  const std::vector<std::int32_t> integers = integers_of(sums);
  const std::vector<std::int32_t> a_integers = integers_of(a.integers);
  const std::vector<std::int32_t> b_integers = integers_of(b.integers);
  const auto corrected = quantization::without_zero_points(
      {integers, sums.rows, sums.columns}, {a_integers, real_a.rows, real_a.columns}, a.quantizer,
      {b_integers, real_b.rows, real_b.columns}, b.quantizer);
  if (!corrected.has_value()) return corrected.refusal();
  const Matrix reals =
      reals_of(matrix_of_integers(corrected.value(), sums), a.quantizer, b.quantizer);
  QuantizationError error;
  error.scales_a = scales_of(a.quantizer);
  error.scales_b = scales_of(b.quantizer);
  error.zero_point_a = a.quantizer.params().front().zero_point;
  error.clipped_a = a.clipped;
  error.clipped_b = b.clipped;
  error.product = error_of_product(real_a, real_b, reals, numerics::ElementType::kFp32);
  if (!request.requantize) return error;
  const auto output = requantized(real_a, real_b, reals, a, b, corrected.value(), request);
  if (!output.has_value()) return output.refusal();
  error.output = output.value();
  return error;
}

}  // namespace tcsim::values
