#pragma once

#include "models/quantization/quantizer.hpp"

namespace tcsim::quantization {

/// How the range of the data is chosen.
enum class Calibration : std::uint8_t {
  kMinMax,   ///< All data fit into the range.
  kEntropy,  ///< Data beyond entropy_threshold saturate.
};

/// The quantizer of `scheme` whose range fits the data, channel by channel. A symmetric scale is
/// threshold / 127. An asymmetric scale spreads [min(0, least), max(0, greatest)] over all 256
/// integers, so that zero has its own pattern (Jacob et al., CVPR 2018, section 2). Scales are
/// rounded up to FP32, so the range is covered; data that are all zero get scale 1. Refusal
/// (mistake): NaN or infinity with row and column, an empty matrix, or what Quantizer::create
/// refuses.
numerics::Result<Quantizer> calibrate(const MatrixView<float>& matrix, const Scheme& scheme,
                                      Calibration method);

}  // namespace tcsim::quantization
