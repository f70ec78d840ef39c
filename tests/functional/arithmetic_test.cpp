#include <gtest/gtest.h>

#include "models/functional/lane_arithmetic.hpp"

namespace tcsim::functional {
namespace {

using isa::Opcode;

/// R3 of lane 0 after `opcode` R3, R0, R1, R2.
std::uint32_t computed(Opcode opcode, std::uint32_t a, std::uint32_t b = 0, std::uint32_t c = 0,
                       LaneMask mask = kAllLanes) {
  RegisterFile registers;
  const auto all = [](std::uint32_t word) {
    LaneWords words{};
    words.fill(word);
    return words;
  };
  registers.write(0, 0, all(a));
  registers.write(1, 0, all(b));
  registers.write(2, 0, all(c));
  execute_arithmetic({.opcode = opcode, .dst = 3, .src = {0, 1, 2}}, mask, registers);
  return registers.read(3)[0];
}

TEST(LaneArithmetic, RoundsSinglePrecisionOnce) {
  EXPECT_EQ(computed(Opcode::kFadd, 0x3f800000, 0x33800001), 0x3f800001U);
  EXPECT_EQ(computed(Opcode::kFmul, 0x3f800001, 0x3f800001), 0x3f800002U);
  // (1 + 2^-12)^2 - (1 + 2^-11) = 2^-24, which two roundings would lose.
  EXPECT_EQ(computed(Opcode::kFfma, 0x3f800800, 0x3f800800, 0xbf801000), 0x33800000U);
}

TEST(LaneArithmetic, WorksOnBothHalves) {
  EXPECT_EQ(computed(Opcode::kHadd2, 0x3c004000, 0x40003c00), 0x42004200U);
  EXPECT_EQ(computed(Opcode::kHmul2, 0x40004200, 0xc0003c00), 0xc4004200U);
  EXPECT_EQ(computed(Opcode::kHfma2, 0x40004200, 0x40004000, 0x3c000000), 0x45004600U);
}

TEST(LaneArithmetic, MultipliesBothHalvesByOne) {
  const auto scaled = [](Opcode opcode, std::int32_t which) {
    RegisterFile registers;
    isa::Register number = 0;
    for (const std::uint32_t word : {0x3f803f80U, 0x40004040U, 0x80008000U}) {
      LaneWords words{};
      words.fill(word);
      registers.write(number++, 0, words);
    }
    execute_arithmetic({.opcode = opcode, .dst = 3, .src = {0, 1, 2}, .immediate = which},
                       kAllLanes, registers);
    return registers.read(3)[0];
  };
  EXPECT_EQ(scaled(Opcode::kHfma2Bf16, 0), 0x40004040U);  // 1 times 2 and 3
  EXPECT_EQ(scaled(Opcode::kHfma2Bf16, isa::kLowHalfTwice), 0x40404040U);
  EXPECT_EQ(scaled(Opcode::kHfma2Bf16, isa::kHighHalfTwice), 0x40004000U);
  EXPECT_EQ(scaled(Opcode::kHmul2, isa::kHighHalfTwice), 0x43804380U);  // 1.875 times 2
}

TEST(LaneArithmetic, RoundsBfloatOnce) {
  // (1 + 2^-7)^2 - (1 + 2^-6) = 2^-14, which two roundings would lose.
  EXPECT_EQ(computed(Opcode::kHfma2Bf16, 0x3f813f81, 0x3f813f81, 0xbf82bf82), 0x38803880U);
}

TEST(LaneArithmetic, MergesAndShiftsBits) {
  EXPECT_EQ(computed(Opcode::kLop3AndOr, 0x89abcdef, 0x64006400, 0x000f000f), 0x640b640fU);
  EXPECT_EQ(computed(Opcode::kShfRight, 0x89abcdef, 8), 0x0089abcdU);
  EXPECT_EQ(computed(Opcode::kShfRight, 0x89abcdef, 32), 0U);
}

TEST(LaneArithmetic, AddsThreeIntegersWithWrapAround) {
  EXPECT_EQ(computed(Opcode::kIadd3, 0xfffffffe, 0x00000007, 0x80000000), 0x80000005U);
}

TEST(LaneArithmetic, AddsFourProductsOfSignedBytes) {
  EXPECT_EQ(computed(Opcode::kDp4a, 0x80ff0203, 0x80020405, 100), 100U + 16384 - 2 + 8 + 15);
}

TEST(LaneArithmetic, PacksTheFirstSourceHigh) {
  EXPECT_EQ(computed(Opcode::kF2fp, 0x3f800000, 0x40000000), 0x3c004000U);
  EXPECT_EQ(computed(Opcode::kF2fpBf16, 0x3f808001, 0x3f808000), 0x3f813f80U);
  EXPECT_EQ(computed(Opcode::kF2f, 0x40000000), 0x00004000U);
  EXPECT_EQ(computed(Opcode::kPrmt, 0x33221100, 0x77665544, 0x5410), 0x55441100U);
}

TEST(LaneArithmetic, TakesTheLargerSourceAndIgnoresANan) {
  EXPECT_EQ(computed(Opcode::kFmnmx, 0x3f800000, 0xc0000000), 0x3f800000U);
  EXPECT_EQ(computed(Opcode::kFmnmx, 0xff800000, 0xc0000000), 0xc0000000U);
  EXPECT_EQ(computed(Opcode::kFmnmx, 0x7fc00000, 0xc0000000), 0xc0000000U);
  EXPECT_EQ(computed(Opcode::kFmnmx, 0x80000000, 0x00000000), 0x00000000U);
}

TEST(LaneArithmetic, WidensAChosenPart) {
  EXPECT_EQ(computed(Opcode::kHadd2F32, 0xc0003c00, 0), 0x3f800000U);
  EXPECT_EQ(computed(Opcode::kHadd2F32, 0xc0003c00, 1), 0xc0000000U);
  EXPECT_EQ(computed(Opcode::kI2fS8, 0x80ff0203, 1), 0x40000000U);
  EXPECT_EQ(computed(Opcode::kI2fS8, 0x80ff0203, 2), 0xbf800000U);
  EXPECT_EQ(computed(Opcode::kI2fS8, 0x80ff0203, 3), 0xc3000000U);
}

TEST(LaneArithmetic, RoundsToNearestEvenInt8AndSaturates) {
  EXPECT_EQ(computed(Opcode::kF2iS8, 0x40200000), 2U) << "2.5";
  EXPECT_EQ(computed(Opcode::kF2iS8, 0xbfc00000), 0xfffffffeU) << "-1.5";
  EXPECT_EQ(computed(Opcode::kF2iS8, 0x447a0000), 127U) << "1000";
  EXPECT_EQ(computed(Opcode::kF2iS8, 0xc47a0000), 0xffffff80U) << "-1000";
  EXPECT_EQ(computed(Opcode::kF2iS8, 0x7fc00000), 0U);
}

TEST(LaneArithmetic, PacksTwoInt8UnderHalfARegister) {
  EXPECT_EQ(computed(Opcode::kF2ipS8, 0xbfc00000, 0x40200000, 0xaaaa1234), 0x1234fe02U);
  EXPECT_EQ(computed(Opcode::kF2ipS8, 0xc47a0000, 0x447a0000, 0), 0x0000807fU);
  EXPECT_EQ(computed(Opcode::kI2fp, 0xffffffff), 0xbf800000U);
}

TEST(LaneArithmetic, PacksTwoE4m3UnderHalfARegister) {
  EXPECT_EQ(computed(Opcode::kF2fpE4m3, 0xbf800000, 0x40000000, 0xaaaa1234), 0x1234b840U);
  EXPECT_EQ(computed(Opcode::kF2fpE4m3, 0xc47a0000, 0x447a0000, 0), 0xfe7eU) << "-1000, 1000";
  EXPECT_EQ(computed(Opcode::kF2fpE4m3, 0xff800000, 0x7fc00000, 0), 0xfe7fU) << "-inf, NaN";
}

/// The lanes that each lane receives from.
LaneWords shuffled(Opcode opcode, std::int32_t source) {
  RegisterFile registers;
  LaneWords numbers{};
  for (std::size_t lane = 0; lane < kLanes; ++lane)
    numbers[lane] = static_cast<std::uint32_t>(lane);
  registers.write(0, 0, numbers);
  execute_arithmetic({.opcode = opcode,
                      .dst = 3,
                      .src = {0, isa::kZeroRegister, isa::kZeroRegister},
                      .immediate = source,
                      .has_immediate = true},
                     kAllLanes, registers);
  return registers.read(3);
}

TEST(LaneArithmetic, ExchangesLanesAtADistance) {
  const LaneWords from = shuffled(Opcode::kShfl, 16);
  EXPECT_EQ(from[1], 17U);
  EXPECT_EQ(from[30], 14U);
}

TEST(LaneArithmetic, TakesFromALaneOfEachSegment) {
  const LaneWords all = shuffled(Opcode::kShflIdx, isa::shuffle_source(13, 0));
  const LaneWords fours = shuffled(Opcode::kShflIdx, isa::shuffle_source(20, 3));
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    EXPECT_EQ(all[lane], 13U);
    EXPECT_EQ(fours[lane], 20 + lane % 4);
  }
}

TEST(LaneArithmetic, TakesTheLastSourceFromALiteral) {
  RegisterFile registers;
  LaneWords three{};
  three.fill(0x40400000);
  registers.write(0, 0, three);
  execute_arithmetic({.opcode = Opcode::kFmul,
                      .dst = 3,
                      .src = {0, isa::kZeroRegister, isa::kZeroRegister},
                      .immediate = 0x40000000,
                      .has_immediate = true},
                     kAllLanes, registers);
  EXPECT_EQ(registers.read(3)[31], 0x40c00000U);
}

TEST(LaneArithmetic, LeavesTheLanesThatAreOffAlone) {
  EXPECT_EQ(computed(Opcode::kMov, 7, 0, 0, kAllLanes & ~LaneMask{1}), kUnwritten);
  EXPECT_EQ(computed(Opcode::kMov, 7, 0, 0, 1), 7U);
}

TEST(LaneArithmetic, ClearsPairsAndForgetsAddresses) {
  RegisterFile registers;
  execute_arithmetic({.opcode = Opcode::kCs2r, .dst = 4}, kAllLanes, registers);
  EXPECT_EQ(registers.read(4, 0)[5], 0U);
  EXPECT_EQ(registers.read(4, 1)[5], 0U);
  EXPECT_EQ(registers.read(4, 2)[5], kUnwritten);
  execute_arithmetic({.opcode = Opcode::kLop3, .dst = 4}, kAllLanes, registers);
  EXPECT_EQ(registers.read(4)[5], kUnwritten);
}

TEST(RegisterFile, ReadsZeroFromTheZeroRegisterWhateverIsWritten) {
  RegisterFile registers;
  LaneWords ones{};
  ones.fill(1);
  registers.write(isa::kZeroRegister, 0, ones);
  EXPECT_EQ(registers.read(isa::kZeroRegister, 3)[0], 0U);
}

}  // namespace
}  // namespace tcsim::functional
