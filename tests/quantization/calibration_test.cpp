#include "models/quantization/calibration.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace tcsim::quantization {
namespace {

using numerics::ElementType;

QuantizationParams params_of(const std::vector<float>& values, const Scheme& scheme,
                             Calibration method = Calibration::kMinMax) {
  const auto columns = static_cast<std::int64_t>(values.size());
  return calibrate({values, 1, columns}, scheme, method).value().params().front();
}

/// Normal numbers, one in 2,000 of them thirty times as large.
std::vector<float> long_tailed(std::size_t count) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = normal(random) * (i % 2000 == 0 ? 30 : 1);
  return values;
}

double mean_error(const Quantizer& quantizer, const std::vector<float>& values) {
  const auto& [scale, zero_point] = quantizer.params().front();
  double sum = 0;
  for (const float value : values)
    sum += std::fabs(double{scale} * (quantizer.quantize(value, 0, 0) - zero_point) - value);
  return sum / static_cast<double>(values.size());
}

TEST(MinMaxCalibration, MapsTheDataToTheWholeRange) {
  EXPECT_EQ(params_of({-254, 100}, {ElementType::kInt8}), (QuantizationParams{2, 0}));
  EXPECT_EQ(params_of({-254, 100}, {ElementType::kUint8}), (QuantizationParams{2, 128}));
  EXPECT_EQ(params_of({-10, 245}, {ElementType::kUint8, Symmetry::kAsymmetric}),
            (QuantizationParams{1, 10}));
  EXPECT_EQ(params_of({-10, 245}, {ElementType::kInt8, Symmetry::kAsymmetric}),
            (QuantizationParams{1, -118}));
}

TEST(MinMaxCalibration, AnAsymmetricRangeContainsZero) {
  EXPECT_EQ(params_of({100, 510}, {ElementType::kUint8, Symmetry::kAsymmetric}),
            (QuantizationParams{2, 0}));
  EXPECT_EQ(params_of({-510, -100}, {ElementType::kUint8, Symmetry::kAsymmetric}),
            (QuantizationParams{2, 255}));
}

TEST(MinMaxCalibration, WorksForZerosAndTheSmallestAndLargestNumbers) {
  constexpr float kSmallest = std::numeric_limits<float>::denorm_min();
  constexpr float kLargest = std::numeric_limits<float>::max();
  for (const Symmetry symmetry : {Symmetry::kSymmetric, Symmetry::kAsymmetric}) {
    const Scheme scheme{ElementType::kInt8, symmetry};
    EXPECT_EQ(params_of({0, 0}, scheme).scale, 1);
    EXPECT_EQ(params_of({kSmallest, 0}, scheme).scale, kSmallest);
    EXPECT_TRUE(std::isfinite(params_of({-kLargest, kLargest}, scheme).scale));
  }
}

TEST(MinMaxCalibration, GivesEveryRowOrColumnItsOwnScale) {
  const std::vector<float> values{127, 254, 1270, -2540};
  const auto scales = [&](Granularity granularity) {
    const Scheme scheme{ElementType::kInt8, Symmetry::kSymmetric, granularity};
    return calibrate({values, 2, 2}, scheme, Calibration::kMinMax).value().params();
  };
  EXPECT_EQ(scales(Granularity::kRow), (std::vector<QuantizationParams>{{2, 0}, {20, 0}}));
  EXPECT_EQ(scales(Granularity::kColumn), (std::vector<QuantizationParams>{{10, 0}, {20, 0}}));
}

TEST(EntropyCalibration, ClipsOutliersAndLowersTheMeanError) {
  const std::vector<float> values = long_tailed(100'000);
  const MatrixView<float> view{values, 1, 100'000};
  for (const Symmetry symmetry : {Symmetry::kSymmetric, Symmetry::kAsymmetric}) {
    const Scheme scheme{ElementType::kInt8, symmetry};
    const Quantizer all = calibrate(view, scheme, Calibration::kMinMax).value();
    const Quantizer clipped = calibrate(view, scheme, Calibration::kEntropy).value();
    EXPECT_LT(clipped.params().front().scale, all.params().front().scale / 4);
    EXPECT_LT(mean_error(clipped, values), mean_error(all, values) / 2);
  }
}

TEST(Calibration, RefusesWhatHasNoRange) {
  const auto reason = [](const std::vector<float>& values) {
    const auto columns = static_cast<std::int64_t>(values.size());
    return calibrate({values, 1, columns}, {}, Calibration::kEntropy).refusal().reason;
  };
  EXPECT_EQ(reason({}), "an empty matrix has no range");
  EXPECT_EQ(reason({1, std::nanf("")}), "row 0, column 1: NaN cannot be quantised");
  EXPECT_EQ(calibrate({std::vector<float>{1}, 1, 1}, {ElementType::kFp32}, Calibration::kMinMax)
                .refusal()
                .reason,
            "'fp32' is not a type to quantise to (allowed: int8, uint8)");
}

}  // namespace
}  // namespace tcsim::quantization
