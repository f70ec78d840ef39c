#include "models/quantization/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/quantization/entropy.hpp"

namespace tcsim::quantization {
namespace {

/// The real interval that the integers must cover; contains zero.
struct Interval {
  double least = 0;
  double greatest = 0;
};

Interval interval_of(std::span<const float> values, Calibration method) {
  Interval interval;
  for (const float value : values) {
    interval.least = std::min(interval.least, double{value});
    interval.greatest = std::max(interval.greatest, double{value});
  }
  if (method == Calibration::kMinMax) return interval;
  const double threshold = entropy_threshold(magnitude_histogram(values));
  return {std::max(interval.least, -threshold), std::min(interval.greatest, threshold)};
}

/// The smallest FP32 number with which `steps` steps cover `width`; 1 if there is nothing to cover.
float scale_of(double width, int steps) {
  if (width == 0) return 1;
  const double exact = width / steps;
  const auto nearest = static_cast<float>(exact);
  return nearest < exact ? std::nextafter(nearest, std::numeric_limits<float>::max()) : nearest;
}

QuantizationParams params_of(const Interval& interval, const Scheme& scheme) {
  const IntegerRange range = range_of(scheme);
  if (scheme.symmetry == Symmetry::kSymmetric) {
    const double threshold = std::max(-interval.least, interval.greatest);
    return {scale_of(2 * threshold, range.steps()), (range.least + range.greatest) / 2};
  }
  const float scale = scale_of(interval.greatest - interval.least, range.steps());
  return {scale, range.least - static_cast<int>(std::nearbyint(interval.least / scale))};
}

/// The values of one channel.
std::vector<float> channel(const MatrixView<float>& matrix, Granularity granularity,
                           std::int64_t index) {
  const bool by_row = granularity == Granularity::kRow;
  std::vector<float> values;
  for (std::int64_t i = 0; i < (by_row ? matrix.columns : matrix.rows); ++i)
    values.push_back(by_row ? matrix.at(index, i) : matrix.at(i, index));
  return values;
}

}  // namespace

numerics::Result<Quantizer> calibrate(const MatrixView<float>& matrix, const Scheme& scheme,
                                      Calibration method) {
  if (matrix.values.empty()) return numerics::mistake("an empty matrix has no range");
  if (auto refusal = find_not_finite(matrix)) return *refusal;
  std::vector<QuantizationParams> params;
  if (scheme.granularity == Granularity::kTensor) {
    params.push_back(params_of(interval_of(matrix.values, method), scheme));
  } else {
    const bool by_row = scheme.granularity == Granularity::kRow;
    for (std::int64_t i = 0; i < (by_row ? matrix.rows : matrix.columns); ++i)
      params.push_back(
          params_of(interval_of(channel(matrix, scheme.granularity, i), method), scheme));
  }
  return Quantizer::create(scheme, std::move(params));
}

}  // namespace tcsim::quantization
