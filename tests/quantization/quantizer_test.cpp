#include "models/quantization/quantizer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tcsim::quantization {
namespace {

using numerics::ElementType;
using ::testing::ElementsAre;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

Quantizer quantizer(const Scheme& scheme, std::vector<QuantizationParams> params) {
  return Quantizer::create(scheme, std::move(params)).value();
}

TEST(Quantizer, RoundsToNearestEvenAndSaturates) {
  const Quantizer q = quantizer({}, {{0.5F, 0}});
  const std::vector<float> reals{0, 0.25F, 0.75F, -0.25F, -0.75F, 0.26F, 63.5F, 64, -64, 1e30F};
  EXPECT_THAT(q.quantize({reals, 2, 5}).value(),
              ElementsAre(0, 0, 2, 0, -2, 1, 127, 127, -127, 127));
}

TEST(Quantizer, AddsTheZeroPointAfterRounding) {
  const Quantizer q = quantizer({ElementType::kUint8, Symmetry::kAsymmetric}, {{2, 3}});
  EXPECT_THAT(q.quantize({std::vector<float>{0, 1, 3, -6, -8, 504}, 1, 6}).value(),
              ElementsAre(3, 3, 5, 0, 0, 255));
}

TEST(Quantizer, UsesTheScaleOfTheRowOrColumn) {
  const std::vector<float> reals{4, 4, 4, 4};
  const std::vector<QuantizationParams> params{{1, 0}, {2, 0}};
  EXPECT_THAT(quantizer({ElementType::kInt8, {}, Granularity::kRow}, params)
                  .quantize({reals, 2, 2})
                  .value(),
              ElementsAre(4, 4, 2, 2));
  EXPECT_THAT(quantizer({ElementType::kInt8, {}, Granularity::kColumn}, params)
                  .quantize({reals, 2, 2})
                  .value(),
              ElementsAre(4, 2, 4, 2));
}

TEST(Quantizer, NamesTheRowAndColumnOfWhatIsNoNumber) {
  const Quantizer q = quantizer({}, {{1, 0}});
  const auto refusal = [&](float odd) {
    const std::vector<float> reals{0, 1, 2, 3, 4, odd};
    return q.quantize({reals, 2, 3}).refusal().reason;
  };
  EXPECT_EQ(refusal(std::nanf("")), "row 1, column 2: NaN cannot be quantised");
  EXPECT_EQ(refusal(kInfinity), "row 1, column 2: infinity cannot be quantised");
  EXPECT_EQ(refusal(-kInfinity), "row 1, column 2: -infinity cannot be quantised");
}

TEST(Quantizer, RefusesScalesAndZeroPointsThatMeanNothing) {
  const auto refusal = [](const QuantizationParams& second) {
    return Quantizer::create({ElementType::kInt8, Symmetry::kSymmetric, Granularity::kRow},
                             {{1, 0}, second})
        .refusal()
        .reason;
  };
  const std::string scale = "channel 1: a scale is positive and finite, not ";
  EXPECT_EQ(refusal({0, 0}), scale + "0.000000");
  EXPECT_EQ(refusal({-1, 0}), scale + "-1.000000");
  EXPECT_EQ(refusal({kInfinity, 0}), scale + "infinity");
  EXPECT_EQ(refusal({std::nanf(""), 0}), scale + "NaN");
  EXPECT_EQ(refusal({1, 128}), "channel 1: zero point 128 lies outside -127 to 127");
}

TEST(Quantizer, RefusesOtherTypesAndShapes) {
  EXPECT_EQ(Quantizer::create({ElementType::kFp16}, {{1, 0}}).refusal().reason,
            "'fp16' is not a type to quantise to (allowed: int8, uint8)");
  EXPECT_EQ(Quantizer::create({}, {}).refusal().reason,
            "got 0 scales; the scheme needs at least one");
  EXPECT_EQ(Quantizer::create({}, {{1, 0}, {1, 0}}).refusal().reason,
            "got 2 scales; the scheme needs one");
  const Quantizer rows =
      quantizer({ElementType::kInt8, Symmetry::kSymmetric, Granularity::kRow}, {{1, 0}});
  EXPECT_EQ(rows.quantize({std::vector<float>{1, 2}, 2, 1}).refusal().reason,
            "the matrix has 2 rows, the scheme has scales for 1");
}

}  // namespace
}  // namespace tcsim::quantization
