#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/numerics/result.hpp"
#include "models/quantization/calibration.hpp"
#include "sim/values/matrix.hpp"
#include "sim/values/product_error.hpp"

namespace tcsim::values {

/// How real operands become INT8: A with one scale, B with one scale or with one per column.
struct QuantizationRequest {
  bool per_channel = false;
  quantization::Symmetry symmetry = quantization::Symmetry::kSymmetric;  ///< for A; B is symmetric
  quantization::Calibration calibration = quantization::Calibration::kMinMax;
  bool requantize = false;      ///< also converts D to INT8
  std::vector<float> scales_a;  ///< one; empty: calibrated
  std::vector<float> scales_b;  ///< one, or one for each column; empty: calibrated
};

/// One operand as integers.
struct QuantizedOperand {
  Matrix integers;
  quantization::Quantizer quantizer;
  std::int64_t clipped = 0;  ///< elements beyond the range
};

/// D in INT8 as the next layer reads it.
struct RequantizedOutput {
  float scale = 0;
  int zero_point = 0;
  std::int64_t saturated = 0;  ///< elements beyond the range
  ProductError error;          ///< of the reals that the INT8 values stand for
};

/// The cost of quantisation: the product of the integers, taken as reals, compared with the exact
/// product of the reals.
struct QuantizationError {
  std::vector<float> scales_a;
  std::vector<float> scales_b;
  int zero_point_a = 0;
  std::int64_t clipped_a = 0;
  std::int64_t clipped_b = 0;
  ProductError product;
  std::optional<RequantizedOutput> output;
};

/// A and B as integers. Refusals (mistake): a NaN or an infinity, with its row and column; a scale
/// that is not positive and finite. Requires a batch of 1.
numerics::Result<QuantizedOperand> quantize_a(const Matrix& reals,
                                              const QuantizationRequest& request);
numerics::Result<QuantizedOperand> quantize_b(const Matrix& reals,
                                              const QuantizationRequest& request);

/// Errors of `sums`, the INT32 product of the integers of `a` and `b`, which stand for `real_a` and
/// `real_b`.
numerics::Result<QuantizationError> quantization_error(const Matrix& real_a, const Matrix& real_b,
                                                       const QuantizedOperand& a,
                                                       const QuantizedOperand& b,
                                                       const Matrix& sums,
                                                       const QuantizationRequest& request);

}  // namespace tcsim::values
