#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "models/numerics/result.hpp"
#include "models/quantization/scheme.hpp"

namespace tcsim::quantization {

using Integers = std::vector<std::int32_t>;  ///< INT8 or UINT8 values, row-major.

/// Maps reals to INT8 or UINT8: q = saturate(round(r / S) + Z), which stands for S (q - Z); round
/// is to nearest, ties to even. The quotient is effectively rounded once, since no quotient of two
/// FP32 numbers below 2^25 is closer to a tie than a double resolves. Requires the host's default
/// rounding mode.
class Quantizer {
 public:
  /// `params` holds one entry, or one for each row or column as scheme.granularity states. Refusal
  /// (mistake): a type other than INT8 and UINT8, no entry, a scale that is not positive and
  /// finite, a zero point outside the range; channels count from 0.
  static numerics::Result<Quantizer> create(const Scheme& scheme,
                                            std::vector<QuantizationParams> params);

  const Scheme& scheme() const { return scheme_; }
  const std::vector<QuantizationParams>& params() const { return params_; }
  const QuantizationParams& params_of(std::int64_t row, std::int64_t column) const;

  /// One value. Requires a finite `real`.
  std::int32_t quantize(float real, std::int64_t row, std::int64_t column) const;

  /// A whole matrix. Refusal (mistake): a NaN or an infinity, with its row and column from 0; a
  /// matrix with another number of channels.
  numerics::Result<Integers> quantize(const MatrixView<float>& matrix) const;

 private:
  Quantizer(const Scheme& scheme, std::vector<QuantizationParams> params)
      : scheme_(scheme), params_(std::move(params)) {}

  Scheme scheme_;
  std::vector<QuantizationParams> params_;
};

/// The first NaN or infinity of a matrix as a refusal, or nothing.
std::optional<numerics::Refusal> find_not_finite(const MatrixView<float>& matrix);

}  // namespace tcsim::quantization
