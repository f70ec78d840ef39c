#include "sim/config/numerics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "sim/config/load.hpp"
#include "tests/config/machine_text.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_directory.hpp"

namespace tcsim::config {
namespace {

using numerics::TensorArithmetic;
using testing::ElementsAre;

TEST(NumericsSection, LeftOutIsTheGenerationOfTheArchitecture) {
  for (const auto& [machine, generation] : {std::pair{"v100", numerics::Generation::kVolta},
                                            {"t4", numerics::Generation::kTuring},
                                            {"a6000", numerics::Generation::kAmpere},
                                            {"h100", numerics::Generation::kHopper},
                                            {"p100", numerics::Generation::kVolta}})
    EXPECT_EQ(tensor_arithmetic(load_machine(machine)), TensorArithmetic(generation)) << machine;
}

TEST(NumericsSection, ChangesOneParameterAfterTheOther) {
  TensorArithmetic wanted = numerics::Generation::kHopper;
  wanted.fp16.products = 4;
  wanted.bf16.grid_fraction_bits = 20;
  wanted.tf32.accumulator_fraction_bits = 21;
  wanted.fp8.products = 16;
  wanted.fp32_rounding = numerics::RoundingMode::kNearestEven;
  wanted.fp16_rounding = numerics::RoundingMode::kTruncate;
  wanted.block_order = numerics::BlockOrder::kInterleaved;
  wanted.subnormals = false;
  const Machine machine = load_machine(
      "a100",
      {"numerics.base=hopper", "numerics.fp16.products=4", "numerics.bf16.grid_fraction_bits=20",
       "numerics.tf32.accumulator_fraction_bits=21", "numerics.fp8.products=16",
       "numerics.fp32_rounding=nearest_even", "numerics.fp16_rounding=truncate",
       "numerics.block_order=interleaved", "numerics.subnormals=flushed"});
  EXPECT_EQ(tensor_arithmetic(machine), wanted);
}

TEST(NumericsSection, ThatChangesNothingIsTheSameMachine) {
  const std::string usual = canonical_text(read_machine("a100"));
  EXPECT_EQ(canonical_text(read_machine(
                "a100", {"numerics.base=architecture", "numerics.fp16.products=derived"})),
            usual);
  EXPECT_NE(canonical_text(read_machine("a100", {"numerics.fp16.products=8"})), usual);
}

TEST(NumericsSection, ReportsEveryMistake) {
  EXPECT_THAT(
      mistakes_of(
          plain_a100(),
          {"numerics.fp16.accumulator_fraction_bits=19", "numerics.fp8.accumulator_fraction_bits=5",
           "numerics.bf16.products=33", "numerics.subnormals=flush", "numerics.fp16.product=4"}),
      ElementsAre(
          "--set #1: numerics.fp16.accumulator_fraction_bits: 19 fraction bits are narrower than a "
          "product of two fp16 numbers, which has 20",
          "--set #2: numerics.fp8.accumulator_fraction_bits: 5 fraction bits are narrower than a "
          "product of two fp8 numbers, which has 6",
          "--set #3: numerics.bf16.products: 33 is out of range; allowed are 1 to 32",
          "--set #4: numerics.subnormals: 'flush' is not one of honoured, flushed; did you mean "
          "\"flushed\"?",
          "--set #5: numerics.fp16.product: unknown key; did you mean "
          "\"numerics.fp16.products\"?"));
}

class NumericsFile : public testing::Test {
 protected:
  std::string written(const std::string& text) {
    const std::string path = (folder_.path() / "numerics_test.yaml").string();
    std::ofstream(path) << text;
    return path;
  }
  std::string mistakes_in(const std::string& text) {
    return test::refusal([&] { read_numerics(written(text)); });
  }

 private:
  const test::TemporaryDirectory folder_;
};

TEST_F(NumericsFile, HasTheSectionAlone) {
  TensorArithmetic wanted = numerics::Generation::kVolta;
  wanted.fp16.grid_fraction_bits = 20;
  EXPECT_EQ(read_numerics(written("numerics: {base: volta, fp16: {grid_fraction_bits: 20}}\n")),
            wanted);
}

TEST_F(NumericsFile, MayBeAMachine) {
  EXPECT_EQ(read_numerics(written(plain_a100())), TensorArithmetic(numerics::Generation::kAmpere));
}

TEST_F(NumericsFile, MayBeAMachineThatBuildsOnAnother) {
  TensorArithmetic wanted = numerics::Generation::kHopper;
  wanted.fp16.products = 2;
  EXPECT_EQ(read_numerics(written("base: h100\nname: mine\nnumerics: {fp16: {products: 2}}\n")),
            wanted);
  const std::string mistakes = mistakes_in("base: a10\nname: mine\n");
  EXPECT_THAT(mistakes, testing::HasSubstr(":1:7: base: a10: no such machine"));
  EXPECT_THAT(mistakes, testing::Not(testing::HasSubstr("missing")));
}

TEST_F(NumericsFile, WithoutABaseNeedsAnArchitecture) {
  EXPECT_THAT(mistakes_in("numerics: {fp16: {products: 2}}\n"),
              testing::HasSubstr(":1:1: numerics.base: missing"));
}

TEST_F(NumericsFile, ReportsEveryMistake) {
  const std::string mistakes = mistakes_in(
      "numerics:\n  base: amper\n  fp16: {grid_fraction_bits: 31}\n"
      "  fp8: {accumulator_fraction_bits: 2}\n");
  EXPECT_THAT(mistakes, testing::HasSubstr(":2:9: numerics.base: 'amper' is not one of"));
  EXPECT_THAT(mistakes, testing::HasSubstr(":3:30: numerics.fp16.grid_fraction_bits: 31 is out"));
  EXPECT_THAT(mistakes,
              testing::HasSubstr(":4:36: numerics.fp8.accumulator_fraction_bits: 2 frac"));
}

}  // namespace
}  // namespace tcsim::config
