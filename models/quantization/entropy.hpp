#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace tcsim::quantization {

inline constexpr int kHistogramBins = 2048;
inline constexpr int kQuantizedLevels = 128;  ///< Number of magnitudes in a symmetric INT8.

/// How often |x| is in each of 2048 equal bins from 0 to the largest |x|.
struct MagnitudeHistogram {
  std::array<std::int64_t, kHistogramBins> counts{};
  double bin_width = 0;  ///< 0 if there are no values or all are zero.
};

/// Requires finite values.
MagnitudeHistogram magnitude_histogram(std::span<const float> values);

/// Relative entropy (Kullback-Leibler divergence) in nats between the values clipped at the end of
/// bin `kept` - 1 and the same values quantised to 128 levels; infinite if only clipped values fill
/// a bin that the quantised distribution leaves empty. Requires 128 <= kept <= 2048.
double divergence(const MagnitudeHistogram& histogram, int kept);

/// The magnitude at which clipping loses the least information: the middle of the last kept bin,
/// for the number of bins from 128 to 2048 with the least divergence; the largest |x| if nothing is
/// clipped. Source: S. Migacz on 8-bit inference, GTC 2017, session S7310.
double entropy_threshold(const MagnitudeHistogram& histogram);

}  // namespace tcsim::quantization
