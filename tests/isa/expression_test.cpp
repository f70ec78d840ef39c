#include "models/isa/expression.hpp"

#include <gtest/gtest.h>

namespace tcsim::isa {
namespace {

TEST(Term, DividesThenTakesTheRemainderThenScales) {
  const Term term{Variable::kLane, 16, 4, 3};
  EXPECT_EQ(evaluate(term, 0), 0);
  EXPECT_EQ(evaluate(term, 3), 0);
  EXPECT_EQ(evaluate(term, 4), 16);
  EXPECT_EQ(evaluate(term, 12), 0);
  EXPECT_EQ(evaluate(term, 23), 32);
}

TEST(Term, AddsItsOffsetBeforeTheDivision) {
  const Term stage{Variable::kLoop0, 100, 1, 5, /*offset=*/4};
  EXPECT_EQ(evaluate(stage, 0), 400);
  EXPECT_EQ(evaluate(stage, 1), 0);
  EXPECT_EQ(evaluate(stage, 6), 0);
  EXPECT_EQ(evaluate(stage, 7), 100);
}

TEST(Expression, AddsItsConstantAndEveryTerm) {
  const Expression expression{
      -7, {{Variable::kCtaX, 100}, {Variable::kLane, 2, 1, 8}, {Variable::kLoop3, 1}}};
  Bindings bindings{};
  EXPECT_EQ(evaluate(expression, bindings), -7);
  bindings[static_cast<std::size_t>(Variable::kCtaX)] = 3;
  bindings[static_cast<std::size_t>(Variable::kLane)] = 9;
  bindings[static_cast<std::size_t>(Variable::kLoop3)] = 40;
  EXPECT_EQ(evaluate(expression, bindings), -7 + 300 + 2 + 40);
}

TEST(Swizzle, XorsTheUpperBitsIntoTheLowerOnes) {
  const Swizzle swizzle{/*bits=*/3, /*base=*/4, /*shift=*/3};
  EXPECT_EQ(swizzle.apply(0x000), 0x000);
  EXPECT_EQ(swizzle.apply(0x080), 0x090);
  EXPECT_EQ(swizzle.apply(0x3f0), 0x380);
  EXPECT_EQ(swizzle.apply(0x400), 0x400) << "bit 10 lies above the three bits";
}

TEST(Swizzle, IsAPermutationOfItsRange) {
  const Swizzle swizzle{3, 4, 3};
  std::array<bool, 1024> seen{};
  for (std::int64_t offset = 0; offset < 1024; ++offset) {
    const std::int64_t to = swizzle.apply(offset);
    ASSERT_LT(to, 1024);
    EXPECT_FALSE(seen[static_cast<std::size_t>(to)]);
    seen[static_cast<std::size_t>(to)] = true;
  }
}

TEST(Swizzle, OfNoBitsLeavesOffsetsAlone) { EXPECT_EQ(Swizzle{}.apply(12345), 12345); }

}  // namespace
}  // namespace tcsim::isa
