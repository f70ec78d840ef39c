#include "models/quantization/entropy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tcsim::quantization {

MagnitudeHistogram magnitude_histogram(std::span<const float> values) {
  MagnitudeHistogram histogram;
  double largest = 0;
  for (const float value : values) largest = std::max(largest, std::fabs(double{value}));
  if (largest == 0) return histogram;
  histogram.bin_width = largest / kHistogramBins;
  for (const float value : values) {
    const int bin = static_cast<int>(std::fabs(double{value}) / histogram.bin_width);
    ++histogram.counts[static_cast<std::size_t>(std::min(bin, kHistogramBins - 1))];
  }
  return histogram;
}

double divergence(const MagnitudeHistogram& histogram, int kept) {
  const std::span<const std::int64_t> all(histogram.counts);
  const std::span<const std::int64_t> bins = all.first(static_cast<std::size_t>(kept));
  const auto sum = [](std::span<const std::int64_t> counts) {
    return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  };
  const auto inside = static_cast<double>(sum(bins));
  const auto clipped = static_cast<double>(sum(all) - sum(bins));
  const double total = inside + clipped;
  double result = 0;
  for (std::size_t level = 0; level < kQuantizedLevels; ++level) {
    const std::size_t begin = level * bins.size() / kQuantizedLevels;
    const std::size_t end = (level + 1) * bins.size() / kQuantizedLevels;
    const std::span<const std::int64_t> merged = bins.subspan(begin, end - begin);
    const auto filled = std::ranges::count_if(merged, [](auto count) { return count > 0; });
    const auto level_count = static_cast<double>(sum(merged));
    for (std::size_t i = begin; i < end; ++i) {
      const bool is_last = i + 1 == bins.size();
      const double p = (static_cast<double>(bins[i]) + (is_last ? clipped : 0)) / total;
      if (p == 0) continue;
      if (bins[i] == 0) return std::numeric_limits<double>::infinity();
      // A level distributes its values evenly over those of its bins that are not empty.
      const double q = level_count / static_cast<double>(filled) / inside;
      result += p * std::log(p / q);
    }
  }
  return result;
}

double entropy_threshold(const MagnitudeHistogram& histogram) {
  double least = std::numeric_limits<double>::infinity();
  int best = kHistogramBins;
  for (int kept = kQuantizedLevels; kept <= kHistogramBins; ++kept) {
    const double candidate = divergence(histogram, kept);
    if (candidate >= least) continue;
    least = candidate;
    best = kept;
  }
  const double bins = best == kHistogramBins ? kHistogramBins : best - 0.5;
  return bins * histogram.bin_width;
}

}  // namespace tcsim::quantization
