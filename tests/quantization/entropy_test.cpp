#include "models/quantization/entropy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace tcsim::quantization {
namespace {

TEST(MagnitudeHistogram, CountsMagnitudesInEqualBins) {
  const MagnitudeHistogram histogram =
      magnitude_histogram(std::vector<float>{0, -1, 1.5F, 2047.5F, -2048, 2048});
  EXPECT_EQ(histogram.bin_width, 1);
  EXPECT_EQ(histogram.counts[0], 1);
  EXPECT_EQ(histogram.counts[1], 2);
  EXPECT_EQ(histogram.counts[2047], 3);
}

TEST(MagnitudeHistogram, OfZerosHasNoWidth) {
  EXPECT_EQ(magnitude_histogram(std::vector<float>{0, 0}).bin_width, 0);
  EXPECT_EQ(entropy_threshold(magnitude_histogram({})), 0);
}

TEST(Divergence, OfOneBinPerLevelIsThatOfTheClippedValuesAlone) {
  MagnitudeHistogram histogram;
  for (std::size_t i = 0; i < 128; ++i) histogram.counts[i] = 10;
  histogram.counts[1000] = 20;
  const double inside = 1280;
  const double total = 1300;
  const double expected =
      1270 / total * std::log(inside / total) + 30 / total * std::log(30 / total / (10 / inside));
  EXPECT_NEAR(divergence(histogram, 128), expected, 1e-12);
}

TEST(Divergence, OfMergedBinsComparesEachWithTheirMean) {
  MagnitudeHistogram histogram;  // two bins a level: 3 and 1 become 2 and 2
  for (std::size_t i = 0; i < 256; i += 2) {
    histogram.counts[i] = 3;
    histogram.counts[i + 1] = 1;
  }
  EXPECT_NEAR(divergence(histogram, 256), 0.75 * std::log(1.5) + 0.25 * std::log(0.5), 1e-12);
}

TEST(Divergence, LeavesEmptyBinsEmpty) {
  MagnitudeHistogram histogram;
  for (std::size_t i = 0; i < 256; i += 2) histogram.counts[i] = 3;
  EXPECT_NEAR(divergence(histogram, 256), 0, 1e-12);
}

TEST(Divergence, IsInfiniteWhereOnlyClippedValuesFillTheLastBin) {
  MagnitudeHistogram histogram;
  histogram.counts[0] = 5;
  histogram.counts[2000] = 1;
  EXPECT_TRUE(std::isinf(divergence(histogram, 128)));
}

TEST(EntropyThreshold, KeepsAllOfAFlatDistribution) {
  MagnitudeHistogram histogram;
  histogram.counts.fill(7);
  histogram.bin_width = 0.5;
  EXPECT_EQ(entropy_threshold(histogram), 1024);
}

TEST(EntropyThreshold, CutsBehindTheBodyWhenTheTailIsOneValue) {
  MagnitudeHistogram histogram;
  for (std::size_t i = 0; i < 128; ++i)
    histogram.counts[i] = static_cast<std::int64_t>(128 - i) * 9;
  histogram.counts[2047] = 1;
  histogram.bin_width = 1;
  EXPECT_EQ(entropy_threshold(histogram), 127.5);
}

}  // namespace
}  // namespace tcsim::quantization
