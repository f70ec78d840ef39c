#include "models/numerics/exact_value.hpp"

#include <gtest/gtest.h>

namespace tcsim::numerics {
namespace {

using enum ElementType;

ExactValue decode_as(ElementType type, std::uint64_t pattern) {
  return decode(format_of(type), pattern);
}

TEST(Decode, NormalNumbersGetTheHiddenBit) {
  const ExactValue one_and_half = decode_as(kFp16, 0x3e00);
  EXPECT_EQ(one_and_half.value_class, ValueClass::kFinite);
  EXPECT_EQ(one_and_half.exponent, 0);
  EXPECT_EQ(one_and_half.magnitude, 0x600U);
  EXPECT_EQ(one_and_half.fraction_bits, 10);
}

TEST(Decode, SubnormalsKeepTheSmallestNormalExponentWithLeadingZeros) {
  const ExactValue least = decode_as(kFp16, 0x8001);
  EXPECT_TRUE(least.negative);
  EXPECT_EQ(least.exponent, -14);
  EXPECT_EQ(least.magnitude, 1U);
  EXPECT_EQ(decode_as(kFp32, 1).exponent, -126);
  EXPECT_EQ(decode_as(kE4m3, 1).exponent, -6);
  EXPECT_EQ(decode_as(kE5m2, 1).exponent, -14);
}

TEST(Decode, TheLow13BitsOfTf32AreIgnoredForValuesAndForNan) {
  EXPECT_EQ(decode_as(kTf32, 0x3f801fff).magnitude, 0x400U);
  EXPECT_EQ(decode_as(kTf32, 0x00001fff).value_class, ValueClass::kZero);
  EXPECT_EQ(decode_as(kTf32, 0x7f800001).value_class, ValueClass::kInfinity);
  EXPECT_EQ(decode_as(kTf32, 0x7f802000).value_class, ValueClass::kNan);
}

TEST(Decode, E4m3HasNoInfinityAndOneNanPerSign) {
  EXPECT_EQ(decode_as(kE4m3, 0x7f).value_class, ValueClass::kNan);
  EXPECT_EQ(decode_as(kE4m3, 0xff).value_class, ValueClass::kNan);
  const ExactValue largest = decode_as(kE4m3, 0x7e);
  EXPECT_EQ(largest.value_class, ValueClass::kFinite);
  EXPECT_EQ(largest.magnitude << largest.exponent >> largest.fraction_bits, 448U);
}

TEST(Decode, E5m2HasIeeeSpecials) {
  EXPECT_EQ(decode_as(kE5m2, 0xfc).value_class, ValueClass::kInfinity);
  for (const std::uint64_t pattern : {0x7d, 0x7e, 0x7f})
    EXPECT_EQ(decode_as(kE5m2, pattern).value_class, ValueClass::kNan);
}

TEST(Decode, BitsAboveTheFormatAreIgnored) {
  EXPECT_EQ(decode_as(kFp16, 0xffff3c00).magnitude, 0x400U);
  EXPECT_FALSE(decode_as(kFp16, 0xffff3c00).negative);
}

TEST(Multiply, TheProductIsNotNormalised) {
  const ExactValue x = decode_as(kFp16, 0x3e00);
  const ExactValue product = multiply(x, x);  // 1.5 * 1.5 = 2.25
  EXPECT_EQ(product.exponent, 0);
  EXPECT_EQ(product.magnitude, 0x600U * 0x600U);
  EXPECT_EQ(product.fraction_bits, 20);
}

TEST(Multiply, InfinityTimesZeroOfEitherSignIsNan) {
  EXPECT_EQ(multiply(decode_as(kFp16, 0x7c00), decode_as(kFp16, 0x8000)).value_class,
            ValueClass::kNan);
  EXPECT_EQ(multiply(decode_as(kFp16, 0), decode_as(kFp16, 0xfc00)).value_class, ValueClass::kNan);
}

TEST(Multiply, InfinityTimesNonZeroKeepsTheProductOfSigns) {
  const ExactValue product = multiply(decode_as(kFp16, 0xfc00), decode_as(kFp16, 0x0001));
  EXPECT_EQ(product.value_class, ValueClass::kInfinity);
  EXPECT_TRUE(product.negative);
}

TEST(Multiply, TheProductOfTwoNonZeroSubnormalsIsNotZero) {
  const ExactValue product = multiply(decode_as(kBf16, 1), decode_as(kBf16, 0x8001));
  EXPECT_EQ(product.value_class, ValueClass::kFinite);
  EXPECT_EQ(product.exponent, -252);
}

}  // namespace
}  // namespace tcsim::numerics
