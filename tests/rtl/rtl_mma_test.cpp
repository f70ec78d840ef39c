#include "tests/rtl/rtl_mma.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/rtl/random.hpp"

namespace tcsim::rtl {
namespace {

using numerics::ElementType;
using numerics::Generation;
using numerics::Layout;
using numerics::MmaExecutor;
using numerics::MmaInstruction;

MmaInstruction instruction(numerics::MmaShape shape, ElementType input, ElementType accumulator) {
  MmaInstruction instruction;
  instruction.shape = shape;
  instruction.a = instruction.b = input;
  instruction.c = instruction.d = accumulator;
  return instruction;
}

std::vector<std::uint32_t> random_image(numerics::OperandRole role, const MmaInstruction& of,
                                        Random& random) {
  const numerics::Fragment fragment(of, role);
  std::vector<std::uint32_t> words(static_cast<std::size_t>(32 * fragment.registers_per_lane()));
  for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(random.bits());
  return words;
}

void expect_the_model(RtlMma& unit, Generation generation, const MmaInstruction& of) {
  Random random(3);
  MmaExecutor executor = MmaExecutor::create(of, generation).value();
  for (int i = 0; i < 5; ++i) {
    const auto a = random_image(numerics::OperandRole::kA, of, random);
    const auto b = random_image(numerics::OperandRole::kB, of, random);
    const auto c = random_image(numerics::OperandRole::kC, of, random);
    const numerics::MmaOperands operands{.a = a, .b = b, .b_matrix = {}, .c = c, .metadata = {}};
    EXPECT_EQ(unit.execute(of, operands, {}).value(), executor.execute(operands).value());
  }
}

TEST(RtlMma, StandsInForTheExecutorOnAmpere) {
  const auto unit = RtlMma::create(Generation::kAmpere).value();
  for (const ElementType input : {ElementType::kFp16, ElementType::kBf16})
    for (const int k : {8, 16})
      expect_the_model(*unit, Generation::kAmpere,
                       instruction({16, 8, k}, input, ElementType::kFp32));
  for (const int k : {4, 8})
    expect_the_model(*unit, Generation::kAmpere,
                     instruction({16, 8, k}, ElementType::kTf32, ElementType::kFp32));
  for (const int k : {16, 32})
    expect_the_model(*unit, Generation::kAmpere,
                     instruction({16, 8, k}, ElementType::kInt8, ElementType::kInt32));
  EXPECT_EQ(unit->instructions(), 40);
}

TEST(RtlMma, StandsInForTheExecutorOnVoltaInEveryLayout) {
  const auto unit = RtlMma::create(Generation::kVolta).value();
  for (const ElementType accumulator : {ElementType::kFp16, ElementType::kFp32})
    for (const Layout a : {Layout::kRow, Layout::kColumn})
      for (const Layout b : {Layout::kRow, Layout::kColumn}) {
        MmaInstruction of = instruction({8, 8, 4}, ElementType::kFp16, accumulator);
        of.a_layout = a;
        of.b_layout = b;
        expect_the_model(*unit, Generation::kVolta, of);
      }
}

TEST(RtlMma, RefusesWhatTheUnitLacks) {
  EXPECT_THAT(RtlMma::create(Generation::kTuring).refusal().reason,
              testing::HasSubstr("none of turing"));
  const auto unit = RtlMma::create(Generation::kAmpere).value();
  const auto refused = unit->execute(instruction({8, 8, 4}, ElementType::kFp64, ElementType::kFp64),
                                     numerics::MmaOperands{}, {});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.refusal().kind, numerics::Refusal::Kind::kUnsupported);
  EXPECT_THAT(refused.refusal().reason, testing::HasSubstr("has no m8n8k4 with fp64"));
}

}  // namespace
}  // namespace tcsim::rtl
