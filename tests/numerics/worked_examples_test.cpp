#include "tests/numerics/worked_examples.hpp"

#include <gtest/gtest.h>

#include <string>

#include "models/numerics/mma.hpp"

namespace tcsim::numerics {
namespace {

/// FP8 rows of the reference are those of wgmma; the others those of mma.sync.
Arithmetic arithmetic_of(const WorkedExample& example, Generation generation) {
  ArithmeticKey key;
  key.generation = generation;
  key.kind = is_fp8(example.input) ? InstructionKind::kWgmma : InstructionKind::kMma;
  key.a = key.b = example.input;
  key.accumulator = example.accumulator;
  return find_arithmetic(key).value();
}

void check_column(Generation generation, std::optional<std::uint64_t> WorkedExample::*column) {
  int checked = 0;
  for (const WorkedExample& example : worked_examples()) {
    const auto expected = example.*column;
    if (!expected) continue;
    EXPECT_EQ(mma(arithmetic_of(example, generation), example.a, example.b, example.c), *expected)
        << "example " << example.number << " on " << name(generation);
    ++checked;
  }
  EXPECT_GE(checked, 20);
}

TEST(WorkedExamples, VoltaGivesTheBitsOfTheReference) {
  check_column(Generation::kVolta, &WorkedExample::volta);
}

TEST(WorkedExamples, AmpereGivesTheBitsOfTheReference) {
  check_column(Generation::kAmpere, &WorkedExample::ampere);
}

TEST(WorkedExamples, AdaSharesTheAmpereColumn) {
  check_column(Generation::kAda, &WorkedExample::ampere);
}

TEST(WorkedExamples, HopperGivesTheBitsOfTheReference) {
  check_column(Generation::kHopper, &WorkedExample::hopper);
}

TEST(WorkedExamples, SaturationClampsExample32) {
  ArithmeticKey key;
  key.a = key.b = ElementType::kInt8;
  key.accumulator = ElementType::kInt32;
  key.saturate = true;
  const std::vector<std::uint64_t> one{1};
  EXPECT_EQ(mma(find_arithmetic(key).value(), one, one, 0x7fffffff), 0x7fffffffU);
}

}  // namespace
}  // namespace tcsim::numerics
