#include "models/numerics/round_pack.hpp"

#include <gtest/gtest.h>

namespace tcsim::numerics {
namespace {

using enum ElementType;

constexpr ResultRule kTruncatedFp32{kFp32, 23, RoundingMode::kTruncate};
constexpr ResultRule kFourteenBits{kFp32, 13, RoundingMode::kTruncate};
constexpr ResultRule kNearestFp16{kFp16, 10, RoundingMode::kNearestEven};

std::uint64_t pack(const ResultRule& rule, bool negative, std::uint64_t magnitude, int unit) {
  return round_and_pack(negative, magnitude, unit, rule).pattern;
}

TEST(RoundPack, Fp32TruncatesTowardZeroOnBothSides) {
  // 1 + 3/4 ulp in units of a quarter ulp
  EXPECT_EQ(pack(kTruncatedFp32, false, (1ULL << 25) + 3, -25), 0x3f800000U);
  EXPECT_EQ(pack(kTruncatedFp32, true, (1ULL << 25) + 3, -25), 0xbf800000U);
}

TEST(RoundPack, TruncationJustBelowTheOverflowGivesTheLargestNumber) {
  EXPECT_EQ(pack(kTruncatedFp32, false, (1ULL << 26) - 1, 102), 0x7f7fffffU);
  EXPECT_EQ(pack(kTruncatedFp32, false, 1ULL << 26, 102), 0x7f800000U);
  EXPECT_EQ(pack(kTruncatedFp32, true, 1ULL << 26, 102), 0xff800000U);
}

TEST(RoundPack, Fp32SubnormalsAreCutAtTheirLastDigit) {
  EXPECT_EQ(pack(kTruncatedFp32, false, 3, -150), 1U);
  EXPECT_EQ(pack(kTruncatedFp32, false, 1, -150), 0U);
  EXPECT_EQ(pack(kTruncatedFp32, false, (1ULL << 24) - 1, -150), 0x007fffffU);
  EXPECT_EQ(pack(kTruncatedFp32, false, 1ULL << 24, -150), 0x00800000U);
}

TEST(RoundPack, ANegativeUnderflowKeepsItsSign) {
  EXPECT_EQ(pack(kTruncatedFp32, true, 1, -150), 0x80000000U);
  EXPECT_EQ(pack(kNearestFp16, true, 1, -38), 0x8000U);
}

TEST(RoundPack, FourteenBitResultsLeaveTheLowTenBitsZero) {
  EXPECT_EQ(pack(kFourteenBits, false, 0x3fff'ffff, -29), 0x3fffffffU & ~0x3ffU);
  EXPECT_EQ(pack(kFourteenBits, false, 1, -139), 0x00000400U);
  EXPECT_EQ(pack(kFourteenBits, false, 1, -140), 0U);
}

TEST(RoundPack, Fp16TiesGoToEven) {
  EXPECT_EQ(pack(kNearestFp16, false, 0x801, -11), 0x3c00U);  // 1 + half ulp
  EXPECT_EQ(pack(kNearestFp16, false, 0x803, -11), 0x3c02U);  // 1 + 1.5 ulp
}

TEST(RoundPack, AFarDigitBreaksAnFp16Tie) {
  EXPECT_EQ(pack(kNearestFp16, false, (0x801ULL << 20) + 1, -31), 0x3c01U);
}

TEST(RoundPack, RoundingUpMayCarryIntoTheExponent) {
  const Rounded rounded = round_and_pack(false, 0xfff, -11, kNearestFp16);
  EXPECT_EQ(rounded.pattern, 0x4000U);
  EXPECT_TRUE(rounded.rounded_up);
  EXPECT_TRUE(rounded.inexact);
}

TEST(RoundPack, RoundingUpMayTurnASubnormalIntoTheSmallestNormal) {
  EXPECT_EQ(pack(kNearestFp16, false, 0x7ff, -25), 0x0400U);
}

TEST(RoundPack, Fp16OverflowsAt65520AndNotBelow) {
  EXPECT_EQ(pack(kNearestFp16, false, 65519, 0), 0x7bffU);
  EXPECT_EQ(pack(kNearestFp16, false, 65520, 0), 0x7c00U);
  EXPECT_TRUE(round_and_pack(false, 65520, 0, kNearestFp16).overflow);
}

TEST(RoundPack, DirectedModesStopAtTheLargestNumberWhenTheyPointInwards) {
  const std::uint64_t huge = 1ULL << 40;
  EXPECT_EQ(pack({kFp16, 10, RoundingMode::kTowardZero}, false, huge, 0), 0x7bffU);
  EXPECT_EQ(pack({kFp16, 10, RoundingMode::kTowardNegative}, false, huge, 0), 0x7bffU);
  EXPECT_EQ(pack({kFp16, 10, RoundingMode::kTowardNegative}, true, huge, 0), 0xfc00U);
  EXPECT_EQ(pack({kFp16, 10, RoundingMode::kTowardPositive}, false, huge, 0), 0x7c00U);
}

TEST(RoundPack, EveryDigitDroppedStillRoundsRight) {
  EXPECT_EQ(pack(kNearestFp16, false, (1ULL << 63) + 1, -88), 1U);  // just above 2^-25
  EXPECT_EQ(pack(kNearestFp16, false, 1ULL << 63, -88), 0U);        // exactly 2^-25 ties to zero
  EXPECT_EQ(pack(kNearestFp16, false, 1ULL << 63, -400), 0U);       // far below
}

TEST(RoundPack, AStickyBitBreaksATie) {
  EXPECT_EQ(round_and_pack(false, 0x1002, -12, kNearestFp16, false).pattern, 0x3c00U);
  EXPECT_EQ(round_and_pack(false, 0x1002, -12, kNearestFp16, true).pattern, 0x3c01U);
}

}  // namespace
}  // namespace tcsim::numerics
