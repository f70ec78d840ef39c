#include "models/quantization/requantize.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace tcsim::quantization {
namespace {

using numerics::ElementType;
using ::testing::ElementsAre;

constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();

TEST(RoundedProduct, RoundsOnceWhereFp32WouldRoundTwice) {
  // 2^24 + 1 becomes 2^24 in FP32; times 1/2 + 2^-24 that is 2^23 + 1, exact is 2^23 + 1.5.
  constexpr float kFactor = 0.5F + 0x1p-24F;
  EXPECT_EQ(rounded_product((1 << 24) + 1, kFactor), (1 << 23) + 2);
}

TEST(RoundedProduct, SpansAllMultipliers) {
  EXPECT_EQ(rounded_product(kMost, 1), kMost);
  EXPECT_EQ(rounded_product(kLeast, 1), kLeast);
  EXPECT_EQ(rounded_product(kMost, std::numeric_limits<float>::denorm_min()), 0);
  EXPECT_EQ(rounded_product(kLeast, 0x1p-32F), 0);     // -1/2, to even
  EXPECT_EQ(rounded_product(kLeast, 0x1.8p-32F), -1);  // -3/4
  EXPECT_EQ(rounded_product(1, 0x1p62F), std::int64_t{1} << 62);
  EXPECT_EQ(rounded_product(-3, std::numeric_limits<float>::max()), -(std::int64_t{1} << 62));
  EXPECT_EQ(rounded_product(0, std::numeric_limits<float>::max()), 0);
}

TEST(Requantize, ScalesEachColumnAddsTheZeroPointAndSaturates) {
  const Requantization requantization{
      {0.5F, 0.25F}, {ElementType::kUint8, Symmetry::kAsymmetric}, 10};
  EXPECT_THAT(requantize({Integers{10, 10, -100, 2000}, 2, 2}, requantization).value(),
              ElementsAre(15, 12, 0, 255));
}

TEST(Requantize, RefusesAnotherNumberOfColumns) {
  EXPECT_EQ(requantize({Integers{1, 2, 3}, 1, 3}, {{1, 1}, {}, 0}).refusal().reason,
            "got 2 multipliers for 3 columns");
}

TEST(MakeRequantization, DividesTheScales) {
  const Quantizer a = Quantizer::create({}, {{0.5F, 0}}).value();
  const Quantizer b =
      Quantizer::create({ElementType::kInt8, {}, Granularity::kColumn}, {{0.25F, 0}, {0.125F, 0}})
          .value();
  const Quantizer d =
      Quantizer::create({ElementType::kUint8, Symmetry::kAsymmetric}, {{0.5F, 3}}).value();
  const Requantization made = make_requantization(a, b, d).value();
  EXPECT_THAT(made.multipliers, ElementsAre(0.25F, 0.125F));
  EXPECT_EQ(made.zero_point, 3);
  EXPECT_EQ(made.output.type, ElementType::kUint8);
}

TEST(MakeRequantization, RefusesWhatNoMultiplierExpresses) {
  const auto with = [](Granularity granularity, float scale) {
    return Quantizer::create({ElementType::kInt8, {}, granularity}, {{scale, 0}}).value();
  };
  const Quantizer one = with(Granularity::kTensor, 1);
  EXPECT_EQ(make_requantization(with(Granularity::kRow, 1), one, one).refusal().reason,
            "A and D need one scale, B one or one for each column");
  const Quantizer tiny = with(Granularity::kTensor, 1e-30F);
  EXPECT_EQ(make_requantization(tiny, tiny, one).refusal().reason,
            "column 0: the multiplier S_a S_b / S_d is zero in FP32");
  EXPECT_EQ(make_requantization(with(Granularity::kTensor, 1e30F), one, tiny).refusal().reason,
            "column 0: the multiplier S_a S_b / S_d is infinite in FP32");
}

}  // namespace
}  // namespace tcsim::quantization
