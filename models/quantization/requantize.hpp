#pragma once

#include "models/quantization/quantizer.hpp"

namespace tcsim::quantization {

/// How INT32 sums are converted to INT8 or UINT8: q = saturate(round(sum * multiplier) +
/// zero_point).
struct Requantization {
  std::vector<float> multipliers;  ///< S_a S_b / S_d: one, or one for each column of D.
  Scheme output;                   ///< Its granularity is kTensor.
  int zero_point = 0;
};

/// For D = A B with one scale for A, one scale or one for each column for B, one scale for D.
/// Refusal (mistake): another granularity, or a multiplier that is zero or infinite in FP32.
numerics::Result<Requantization> make_requantization(const Quantizer& a, const Quantizer& b,
                                                     const Quantizer& output);

/// The integer nearest to the exact product sum * multiplier, ties to even, in integer arithmetic:
/// rounded once, where an FP32 multiplication would round twice. Saturates at +-2^62. Requires a
/// positive finite multiplier.
std::int64_t rounded_product(std::int32_t sum, float multiplier);

/// Requantizes all sums of D, from which zero points have been removed (zero_point_terms.hpp).
/// Refusal (mistake): the number of multipliers is neither one nor the number of columns.
numerics::Result<Integers> requantize(const MatrixView<std::int32_t>& sums,
                                      const Requantization& requantization);

}  // namespace tcsim::quantization
