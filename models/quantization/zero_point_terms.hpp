#pragma once

#include <cstdint>

#include "models/quantization/quantizer.hpp"

namespace tcsim::quantization {

/// Converts the sums that the tensor core delivers, sum over k of a[m][k] b[k][n], to those of the
/// real values: sum of (a - Z_a)(b - Z_b) = sum of a b - Z_b * rowsum(a) - Z_a * columnsum(b) + K
/// Z_a Z_b. Z_a may differ by row, Z_b by column. Arithmetic is modulo 2^32, like that of the
/// tensor core without .satfinite, so the result is right whenever it fits INT32 (for K <= 33,000
/// it always does). Refusal (mistake): shapes that do not match, Z_a by column, Z_b by row.
numerics::Result<Integers> without_zero_points(const MatrixView<std::int32_t>& sums,
                                               const MatrixView<std::int32_t>& a,
                                               const Quantizer& a_quantizer,
                                               const MatrixView<std::int32_t>& b,
                                               const Quantizer& b_quantizer);

}  // namespace tcsim::quantization
