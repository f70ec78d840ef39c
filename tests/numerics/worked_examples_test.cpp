#include "tests/numerics/worked_examples.hpp"

#include <gtest/gtest.h>

#include <string>

#include "models/numerics/mma.hpp"
#include "tests/numerics/key_of.hpp"

namespace tcsim::numerics {
namespace {

/// FP8 rows of the reference are those of wgmma; the others those of mma.sync.
Arithmetic arithmetic_of(const WorkedExample& example, Generation generation) {
  const InstructionKind kind =
      is_fp8(example.input) ? InstructionKind::kWgmma : InstructionKind::kMma;
  return find_arithmetic(key_of(generation, kind, example.input, example.accumulator)).value();
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
  const std::vector<std::uint64_t> one{1};
  const ArithmeticKey key{.a = ElementType::kInt8,
                          .b = ElementType::kInt8,
                          .accumulator = ElementType::kInt32,
                          .saturate = true};
  EXPECT_EQ(mma(find_arithmetic(key).value(), one, one, 0x7fffffff), 0x7fffffffU);
}

}  // namespace
}  // namespace tcsim::numerics
