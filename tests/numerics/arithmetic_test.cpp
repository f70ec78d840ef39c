#include "models/numerics/arithmetic.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/numerics/convert.hpp"
#include "models/numerics/mma.hpp"
#include "tests/numerics/key_of.hpp"

namespace tcsim::numerics {
namespace {

using enum ElementType;
using enum Generation;
using ::testing::HasSubstr;

void expect_refusal(const ArithmeticKey& key, Refusal::Kind kind, const std::string& words) {
  const auto found = find_arithmetic(key);
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.refusal().kind, kind);
  EXPECT_THAT(found.refusal().reason, HasSubstr(words));
}

struct Row {
  Generation generation;
  InstructionKind kind;
  ElementType input;
  ElementType accumulator;
  int products;
  int grid_fraction_bits;
  int exponent_floor;
};

/// The table of section 3, written out once more per generation.
TEST(Arithmetic, BlockParametersAreThoseOfTheReference) {
  constexpr auto kMma = InstructionKind::kMma;
  constexpr auto kWgmma = InstructionKind::kWgmma;
  for (const Row& row :
       {Row{kVolta, kMma, kFp16, kFp32, 4, 23, -131}, Row{kVolta, kMma, kFp16, kFp16, 4, 23, -20},
        Row{kTuring, kMma, kFp16, kFp32, 8, 24, -132}, Row{kTuring, kMma, kFp16, kFp16, 8, 24, -21},
        Row{kAmpere, kMma, kBf16, kFp32, 8, 24, -132},
        Row{kAmpere, kMma, kTf32, kFp32, 4, 24, -132}, Row{kAda, kMma, kFp16, kFp16, 8, 24, -21},
        Row{kAda, kMma, kE4m3, kFp32, 16, 13, -132}, Row{kAda, kMma, kE5m2, kFp16, 16, 13, -21},
        Row{kHopper, kMma, kFp16, kFp32, 16, 25, -133},
        Row{kHopper, kMma, kFp16, kFp16, 16, 25, -21},
        Row{kHopper, kWgmma, kFp16, kFp16, 16, 25, -21},
        Row{kHopper, kWgmma, kTf32, kFp32, 8, 25, -133},
        Row{kHopper, kWgmma, kE4m3, kFp32, 32, 13, -133},
        Row{kHopper, kWgmma, kE5m2, kFp16, 32, 13, -21}}) {
    const auto found =
        find_arithmetic(key_of(row.generation, row.kind, row.input, row.accumulator));
    ASSERT_TRUE(found.has_value()) << found.refusal().reason;
    const BlockParams& block = found.value().block;
    EXPECT_EQ(block.products, row.products);
    EXPECT_EQ(block.grid_fraction_bits, row.grid_fraction_bits);
    EXPECT_EQ(block.exponent_floor, row.exponent_floor);
    EXPECT_EQ(block.result.type, row.accumulator);
  }
}

TEST(Arithmetic, WmmaSharesTheParametersOfMma) {
  const auto mma = find_arithmetic(key_of(kHopper, InstructionKind::kMma, kFp16, kFp16)).value();
  const auto wmma = find_arithmetic(key_of(kHopper, InstructionKind::kWmma, kFp16, kFp16)).value();
  EXPECT_EQ(mma.block.exponent_floor, wmma.block.exponent_floor);
  EXPECT_EQ(mma.block.products, wmma.block.products);
}

TEST(Arithmetic, AFormatTheGenerationLacksIsUnsupportedAndNamesTheFirstThatHasIt) {
  constexpr auto kMma = InstructionKind::kMma;
  constexpr auto kUnsupported = Refusal::Kind::kUnsupported;
  expect_refusal(key_of(kVolta, kMma, kBf16, kFp32), kUnsupported, "starts with ampere");
  expect_refusal(key_of(kVolta, kMma, kInt8, kInt32), kUnsupported, "starts with turing");
  expect_refusal(key_of(kTuring, kMma, kTf32, kFp32), kUnsupported, "starts with ampere");
  expect_refusal(key_of(kTuring, kMma, kFp64, kFp64), kUnsupported, "starts with ampere");
  expect_refusal(key_of(kAmpere, kMma, kE4m3, kFp32), kUnsupported, "starts with ada");
  expect_refusal(key_of(kAda, InstructionKind::kWgmma, kFp16, kFp32), kUnsupported,
                 "starts with hopper");
}

TEST(Arithmetic, BinaryAndStartsWithAmpere) {
  ArithmeticKey key = key_of(kTuring, InstructionKind::kMma, kB1, kInt32);
  EXPECT_TRUE(find_arithmetic(key).has_value());
  key.bit_operation = BitOperation::kAnd;
  expect_refusal(key, Refusal::Kind::kUnsupported,
                 "turing mma has no b1 (and) with int32 accumulation; it starts with ampere");
}

TEST(Arithmetic, BinaryXorIsNotOfWgmma) {
  ArithmeticKey key = key_of(kHopper, InstructionKind::kWgmma, kB1, kInt32);
  expect_refusal(key, Refusal::Kind::kUnsupported,
                 "hopper wgmma has no b1 (xor) with int32 accumulation on any generation");
  key.bit_operation = BitOperation::kAnd;
  EXPECT_TRUE(find_arithmetic(key).has_value());
}

TEST(Arithmetic, AFamilyThatNeverCarriesATypeIsUnsupported) {
  expect_refusal(key_of(kHopper, InstructionKind::kWmma, kE4m3, kFp32), Refusal::Kind::kUnsupported,
                 "on any generation");
  expect_refusal(key_of(kHopper, InstructionKind::kWgmma, kInt4, kInt32),
                 Refusal::Kind::kUnsupported, "on any generation");
}

TEST(Arithmetic, TypesThatNeverGoTogetherAreAMistake) {
  expect_refusal(key_of(kHopper, InstructionKind::kMma, kBf16, kFp16), Refusal::Kind::kMistake,
                 "bf16 with fp16 accumulation");
  ArithmeticKey mixed = key_of(kHopper, InstructionKind::kMma, kFp16, kFp32);
  mixed.b = kBf16;
  expect_refusal(mixed, Refusal::Kind::kMistake, "fp16 x bf16");
}

TEST(Arithmetic, Fp8TypesMayBeMixed) {
  ArithmeticKey key = key_of(kHopper, InstructionKind::kWgmma, kE4m3, kFp32);
  key.b = kE5m2;
  const auto found = find_arithmetic(key);
  ASSERT_TRUE(found.has_value());
  // 448 * 0.25, one operand in each format
  EXPECT_EQ(
      mma(found.value(), std::vector<std::uint64_t>{0x7e}, std::vector<std::uint64_t>{0x34}, 0),
      0x42e00000U);
}

/// 128 * 128 cancels c = -2^14; four times 2^-18 come in the block behind it.
TEST(Arithmetic, M8n8k4IsABlockOfFourOnVoltaAndTuring) {
  const std::vector<std::uint64_t> a{0x5800, 0, 0, 0, 0x1800, 0x1800, 0x1800, 0x1800};
  for (const Generation generation : {kVolta, kTuring}) {
    ArithmeticKey key = key_of(generation, InstructionKind::kMma, kFp16, kFp32);
    key.m8n8k4 = true;
    EXPECT_EQ(mma(find_arithmetic(key).value(), a, a, 0xc6800000), 0x37800000U);
  }
}

TEST(Arithmetic, HopperRunsFp8MmaInSoftwareOnFp16Units) {
  const auto found = find_arithmetic(key_of(kHopper, InstructionKind::kMma, kE4m3, kFp16)).value();
  EXPECT_EQ(found.scheme, Scheme::kFp8OnFp16Units);
  EXPECT_EQ(found.block.a_type, kFp16);
  EXPECT_EQ(found.block.products, 16);
}

TEST(Undecided, TheSignOfAnUnderflowIsASwitch) {
  const std::vector<std::uint64_t> a{0x8001};
  const std::vector<std::uint64_t> b{0x0400};
  const ArithmeticKey key = key_of(kAmpere, InstructionKind::kMma, kFp16, kFp16);
  EXPECT_EQ(mma(find_arithmetic(key).value(), a, b, 0), 0x8000U);
  UndecidedBehavior other;
  other.underflow_keeps_sign = false;
  EXPECT_EQ(mma(find_arithmetic(key, other).value(), a, b, 0), 0x0000U);
}

/// Question Q4: 0 * 2^127 has exponent 1, which would cut 2^-24 off beside 1 - 1.
TEST(Undecided, WhetherAZeroProductRaisesTheMaximumIsASwitch) {
  const std::vector<std::uint64_t> a{0x0000, 0x3f80, 0xbf80};
  const std::vector<std::uint64_t> b{0x7f00, 0x3f80, 0x3f80};
  const ArithmeticKey key = key_of(kAmpere, InstructionKind::kMma, kBf16, kFp32);
  EXPECT_EQ(mma(find_arithmetic(key).value(), a, b, 0x33800000), 0x33800000U);
  UndecidedBehavior other;
  other.zero_product_raises_maximum = true;
  EXPECT_EQ(mma(find_arithmetic(key, other).value(), a, b, 0x33800000), 0U);
}

/// The experiment of questions Q2 and Q3: 2^-25 ties to zero unless 2^-p survives on the grid.
int least_surviving_power(const Arithmetic& arithmetic) {
  int last = 0;
  for (int p = 41; p <= 48; ++p) {
    const std::uint64_t a1 = std::uint64_t{1} << (48 - p);  // the subnormal 2^(24-p)
    const std::uint64_t d = mma(arithmetic, std::vector<std::uint64_t>{0x1000, a1},
                                std::vector<std::uint64_t>{0x0400, 0x0001}, 0);
    if (d == 1) last = p;
  }
  return last;
}

TEST(Undecided, TheFloorOfAnFp16AccumulatorIsASwitch) {
  const ArithmeticKey key = key_of(kAmpere, InstructionKind::kMma, kFp16, kFp16);
  EXPECT_EQ(least_surviving_power(find_arithmetic(key).value()), 45);
  UndecidedBehavior other;
  other.fp16_floor_offset = 1;
  EXPECT_EQ(least_surviving_power(find_arithmetic(key, other).value()), 44);
}

/// 63 * 2^-155 and four terms of 1.98 * 2^-155 reach 2^-149 on a grid of 2^-156.
TEST(Undecided, TheFloorOfAnFp32AccumulatorIsASwitch) {
  const std::vector<std::uint64_t> a(5, 0x0d80);
  const std::vector<std::uint64_t> b{0x26f8, 0x23fe, 0x23fe, 0x23fe, 0x23fe};
  const ArithmeticKey key = key_of(kAmpere, InstructionKind::kMma, kBf16, kFp32);
  EXPECT_EQ(mma(find_arithmetic(key).value(), a, b, 0), 1U);
  UndecidedBehavior other;
  other.fp32_floor_offset = 2;
  EXPECT_EQ(mma(find_arithmetic(key, other).value(), a, b, 0), 0U);
}

/// Questions Q2 and Q3, measured on an H200 (OWN).
TEST(Hopper, MmaAndWgmmaHaveTheSameFloorOfAnFp16Accumulator) {
  for (const InstructionKind kind : {InstructionKind::kMma, InstructionKind::kWgmma})
    EXPECT_EQ(least_surviving_power(find_arithmetic(key_of(kHopper, kind, kFp16, kFp16)).value()),
              46);
}

/// The answers of Hopper are measured: no assumption about the others changes them.
TEST(Hopper, HasNothingUndecided) {
  UndecidedBehavior other;
  other.underflow_keeps_sign = true;
  other.fp16_floor_offset = 1;
  other.fp32_floor_offset = 2;
  other.zero_product_raises_maximum = true;
  other.satfinite_granule = 4;
  for (const ElementType accumulator : {kFp16, kFp32}) {
    const ArithmeticKey key = key_of(kHopper, InstructionKind::kMma, kFp16, accumulator);
    EXPECT_EQ(find_arithmetic(key, other).value().block, find_arithmetic(key).value().block);
    EXPECT_EQ(find_arithmetic(key, other).value().undecided.satfinite_granule, 0);
  }
}

TEST(Mma, AnEmptySumReturnsTheAccumulator) {
  const ArithmeticKey key = key_of(kAmpere, InstructionKind::kMma, kFp16, kFp32);
  EXPECT_EQ(mma(find_arithmetic(key).value(), {}, {}, 0x3f800001), 0x3f800001U);
}

TEST(Mma, AnFp16AccumulatorWidensExactly) {
  EXPECT_EQ(fp16_to_fp32(0x0001), 0x33800000U);
  EXPECT_EQ(fp16_to_fp32(0xc000), 0xc0000000U);
  EXPECT_EQ(fp16_to_fp32(0x7e00), 0x7fffffffU);
}

}  // namespace
}  // namespace tcsim::numerics
