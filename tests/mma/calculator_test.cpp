#include "sim/mma/calculator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/mma/outcome.hpp"

namespace tcsim::mma {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Outcome calculate(const CalculatorOptions& options) {
  return outcome_of([&](std::ostream& out) {
    mma::calculate(options, out);
    return true;
  });
}

CalculatorOptions options(const std::string& arch, const std::string& dtype, const std::string& acc,
                          const std::string& a, const std::string& b, const std::string& c) {
  CalculatorOptions chosen;
  chosen.arithmetic.arch = arch;
  chosen.arithmetic.dtype = dtype;
  chosen.arithmetic.acc = acc;
  chosen.a = a;
  chosen.b = b;
  chosen.c = c;
  return chosen;
}

/// Worked example 1 of the numerics reference on three generations.
TEST(MmaCalculator, PrintsDInHexadecimalAndDecimal) {
  const auto example = [](const std::string& arch) {
    return calculate(
        options(arch, "fp16", "fp32", "f000,b800,b400,b000", "6400,3c00,3c00,3c00", "4b000000"));
  };
  EXPECT_EQ(example("volta").out, "D = 00000000 = 0\n");
  EXPECT_EQ(example("ampere").out, "D = bf000000 = -0.5\n");
  EXPECT_EQ(example("hopper").out, "D = bf400000 = -0.75\n");
  EXPECT_EQ(example("hopper").status, 0);
}

TEST(MmaCalculator, ExplainShowsExponentsAlignmentDroppedBitsSumAndRounding) {
  CalculatorOptions chosen = options("volta", "fp16", "fp32", "f000,b800", "6400,3c00", "4b000000");
  chosen.explain = true;
  const Outcome outcome = calculate(chosen);
  EXPECT_EQ(outcome.out,
            "block of 2 products (up to 4), 23 fraction bits below the maximum exponent\n"
            "  term   patterns                           value exponent  shift  dropped"
            "                aligned\n"
            "  k=0    f000 6400                       -8388608       23      0  nothing"
            "                -8388608\n"
            "  k=1    b800 3c00                           -0.5       -1     24  0x100000 in 21 bits"
            "    0\n"
            "  c      4b000000                         8388608       23      0  nothing"
            "                8388608\n"
            "  maximum exponent 23, unit 2^0\n"
            "  sum 0 x 2^0\n"
            "  truncated to 24 digits: an exact zero is +0\n"
            "  result 00000000 = 0\n"
            "\n"
            "D = 00000000 = 0\n");
}

TEST(MmaCalculator, ExplainShowsEveryBlockOfAChain) {
  CalculatorOptions chosen =
      options("volta", "fp16", "fp32", "3c003c003c003c003c00", "3c003c003c003c003c00", "");
  chosen.explain = true;
  const std::string out = calculate(chosen).out;
  EXPECT_THAT(out, HasSubstr("block of 4 products"));
  EXPECT_THAT(out, HasSubstr("block of 1 product (up to 4)"));
  EXPECT_THAT(out, HasSubstr("  k=4    3c00 3c00"));
  EXPECT_THAT(out, HasSubstr("  c      40800000"));
  EXPECT_THAT(out, HasSubstr("D = 40a00000 = 5\n"));
}

TEST(MmaCalculator, ExplainNamesRoundingFloorAndSpecialCases) {
  const auto explained = [](CalculatorOptions chosen) {
    chosen.explain = true;
    return calculate(chosen).out;
  };
  EXPECT_THAT(explained(options("ampere", "fp16", "fp16", "3800", "3c00", "6401")),
              HasSubstr("nearest even to 11 digits: 0x402 x 2^0, rounded up"));
  EXPECT_THAT(explained(options("ampere", "fp16", "fp32", "3a00", "0002", "3f800000")),
              HasSubstr("truncated to 24 digits: 0x800000 x 2^-23, rest cut off"));
  EXPECT_THAT(explained(options("ampere", "bf16", "fp32", "0001", "0001", "0")),
              Not(HasSubstr("block")));  // c has the wrong width
  EXPECT_THAT(explained(options("ampere", "bf16", "fp32", "0001", "0001", "")),
              HasSubstr("maximum exponent -132 (the floor"));
  EXPECT_THAT(explained(options("ampere", "fp16", "fp32", "7c00", "0000", "")),
              HasSubstr("infinity times zero: canonical NaN"));
  EXPECT_THAT(explained(options("ampere", "fp16", "fp16", "7bff", "7bff", "")),
              HasSubstr("overflow to infinity"));
}

TEST(MmaCalculator, ExplainCoversTheOtherSchemes) {
  CalculatorOptions chosen = options("hopper", "e4m3", "fp16", "38,38,38", "38,38,38", "3c00");
  chosen.explain = true;
  EXPECT_THAT(calculate(chosen).out, HasSubstr("software"));
  EXPECT_THAT(calculate(chosen).out, HasSubstr("add 4200 + c 3c00 = 4400 = 4"));
  chosen = options("ampere", "int8", "int32", "7f", "7f", "7fffffff");
  chosen.explain = true;
  EXPECT_THAT(calculate(chosen).out, HasSubstr("does not fit 32 bits: wraps modulo 2^32"));
  chosen.arithmetic.satfinite = true;
  EXPECT_THAT(calculate(chosen).out, HasSubstr("clamped"));
  EXPECT_THAT(calculate(chosen).out, HasSubstr("D = 7fffffff = 2147483647"));
  chosen = options("ampere", "fp64", "", "3ff0000000000000", "3ff0000000000000", "");
  chosen.explain = true;
  EXPECT_THAT(calculate(chosen).out, HasSubstr("k=0  1 x 1 -> 3ff0000000000000 = 1"));
  chosen = options("ampere", "b1", "", "f0", "ff", "00000001");
  chosen.explain = true;
  EXPECT_THAT(calculate(chosen).out, HasSubstr("a xor b over 8 bits: 4"));
  EXPECT_THAT(calculate(chosen).out, HasSubstr("D = 00000005 = 5"));
}

/// 2^-24 + 2^-24 and then 1, one product at a time from the last on.
TEST(MmaCalculator, ExplainsFp8OnFp16UnitsInTheOrderOfItsBlocks) {
  CalculatorOptions chosen = options("", "e5m2", "fp32", "3c0c00000c", "3c0c00000c", "");
  chosen.arithmetic.core = numerics::TensorArithmetic(numerics::Generation::kHopper);
  chosen.arithmetic.core->fp16.products = 1;
  chosen.arithmetic.core->block_order = numerics::BlockOrder::kDescending;
  chosen.explain = true;
  EXPECT_THAT(calculate(chosen).out, HasSubstr("add 3f800001 + c 00000000 = 3f800001"));
  EXPECT_THAT(calculate(chosen).out, HasSubstr("D = 3f800001"));
}

TEST(MmaCalculator, MixedInputTypesAreChosenWithBDtype) {
  CalculatorOptions chosen = options("ampere", "uint8", "", "ff", "ff", "");
  EXPECT_EQ(calculate(chosen).out, "D = 0000fe01 = 65025\n");
  chosen.arithmetic.b_dtype = "int8";
  EXPECT_EQ(calculate(chosen).out, "D = ffffff01 = -255\n");
}

TEST(MmaCalculator, InstrChoosesWgmma) {
  CalculatorOptions chosen = options("hopper", "e4m3", "fp32", "00", "00", "3f801fff");
  chosen.arithmetic.instr = "wgmma";
  EXPECT_EQ(calculate(chosen).out, "D = 3f801c00 = 1.0008544921875\n");
}

void expect_refused(const CalculatorOptions& chosen, int status, const std::string& line) {
  const Outcome outcome = calculate(chosen);
  EXPECT_EQ(outcome.status, status);
  EXPECT_EQ(outcome.errors, line);
  EXPECT_EQ(outcome.out, "");
}

TEST(MmaCalculator, EveryMistakeIsOneLineThatRepeatsTheBadWord) {
  expect_refused(options("pascal", "fp16", "fp32", "3c00", "3c00", ""), 2,
                 "mma: --arch: 'pascal' is unknown; allowed: volta, turing, ampere, ada, hopper");
  expect_refused(options("", "fp16", "fp32", "3c00", "3c00", ""), 2,
                 "mma: --arch: missing; allowed: volta, turing, ampere, ada, hopper");
  expect_refused(options("volta", "fp17", "fp32", "3c00", "3c00", ""), 2,
                 "mma: --dtype: 'fp17' is unknown; allowed: fp16, bf16, tf32, fp64, e4m3, e5m2, "
                 "int8, uint8, int4, uint4, b1");
  expect_refused(options("volta", "fp16", "bf16", "3c00", "3c00", ""), 2,
                 "mma: --acc: 'bf16' is unknown; allowed: fp16, fp32, fp64, int32");
  expect_refused(options("volta", "fp16", "fp32", "3c0", "3c00", ""), 2,
                 "mma: --a:1: '3c0' has 3 digits; an element has 4 of fp16");
  expect_refused(options("volta", "fp16", "fp32", "3c00", "3c00,3x00", ""), 2,
                 "mma: --b:7: 'x' is not a hexadecimal digit of fp16");
  expect_refused(options("volta", "fp16", "fp32", "3c00", "", ""), 2, "mma: --b: missing");
  expect_refused(options("volta", "fp16", "fp32", "3c00", "3c00,3c00", ""), 2,
                 "mma: --b has 2 elements, --a has 1");
  expect_refused(options("volta", "fp16", "fp16", "3c00", "3c00", "3c003c00"), 2,
                 "mma: --c has 2 elements; give one");
  expect_refused(options("hopper", "bf16", "fp16", "3c00", "3c00", ""), 2,
                 "mma: no tensor core multiplies bf16 with fp16 accumulation");
  CalculatorOptions clamped = options("ampere", "fp16", "fp32", "3c00", "3c00", "");
  clamped.arithmetic.satfinite = true;
  expect_refused(clamped, 2, "mma: --satfinite applies to int8, uint8, int4 and uint4 only");
  CalculatorOptions operation = options("ampere", "fp16", "fp32", "3c00", "3c00", "");
  operation.arithmetic.operation = "xor";
  expect_refused(operation, 2, "mma: --op applies to b1 only");
}

TEST(MmaCalculator, WhatTheGenerationLacksIsStatus3) {
  expect_refused(options("volta", "bf16", "fp32", "3c00", "3c00", ""), 3,
                 "mma: volta mma has no bf16 with fp32 accumulation; it starts with ampere");
  CalculatorOptions chosen = options("ada", "fp16", "fp32", "3c00", "3c00", "");
  chosen.arithmetic.instr = "wgmma";
  expect_refused(chosen, 3,
                 "mma: ada wgmma has no fp16 with fp32 accumulation; it starts with hopper");
}

}  // namespace
}  // namespace tcsim::mma
