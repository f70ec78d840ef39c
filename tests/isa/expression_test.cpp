#include "models/isa/expression.hpp"

#include <gtest/gtest.h>

#include "models/isa/value_range.hpp"

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

TEST(Expression, DividesSumsOfVariables) {
  // Row and column of pixel 32 * warp + lane + 5 of images of 7 columns and 3 rows.
  Quotient row{.coefficient = 100,
               .constant = 5,
               .terms = {{Variable::kWarp, 32}, {Variable::kLane, 1}},
               .divisor = 7,
               .modulus = 3};
  Quotient column = row;
  column.coefficient = -1;
  column.divisor = 1;
  column.modulus = 7;
  const Expression expression{.constant = 1000, .terms = {}, .quotients = {row, column}};
  Bindings bindings{};
  bindings[static_cast<std::size_t>(Variable::kWarp)] = 2;
  bindings[static_cast<std::size_t>(Variable::kLane)] = 9;  // pixel 78: row 11 mod 3, column 1
  EXPECT_EQ(evaluate(expression, bindings), 1000 + 200 - 1);
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

TEST(Expression, BoundsASumBeforeItDividesIt) {
  Expression expression;
  expression.quotients.push_back({.coefficient = 10,
                                  .constant = -5,
                                  .terms = {{Variable::kCtaX, 1}},
                                  .divisor = 2,
                                  .modulus = 0,
                                  .least = 0,
                                  .most = 7});
  Bindings bindings{};
  const auto at = [&](std::int64_t x) {
    bindings[static_cast<std::size_t>(Variable::kCtaX)] = x;
    return evaluate(expression, bindings);
  };
  EXPECT_EQ(at(0), 0);
  EXPECT_EQ(at(9), 20);
  EXPECT_EQ(at(12), 30);
  EXPECT_EQ(at(100), 30);
}

TEST(Expression, UniformsMayUseThoseBeforeThem) {
  const Variable first = uniform_variable(0);
  const std::vector<Expression> uniforms{{1, {{Variable::kCtaX, 3}}}, {0, {{first, 2}}}};
  Bindings bindings{};
  bindings[static_cast<std::size_t>(Variable::kCtaX)] = 4;
  bind_uniforms(uniforms, bindings);
  EXPECT_EQ(bindings[static_cast<std::size_t>(first)], 13);
  EXPECT_EQ(bindings[static_cast<std::size_t>(uniform_variable(1))], 26);
}

TEST(ValueRange, TellsWhatAnExpressionCannotBe) {
  const Expression stage{
      32, {}, {{.coefficient = 8, .terms = {{Variable::kLoop0, 16}}, .modulus = 4}}};
  EXPECT_TRUE(may_be(stage, 32));
  EXPECT_TRUE(may_be(stage, 56));
  EXPECT_FALSE(may_be(stage, 60));
  EXPECT_FALSE(may_be(stage, 64));
  EXPECT_FALSE(may_be(stage, 24));
  EXPECT_TRUE(may_be({8}, 8));
  EXPECT_FALSE(may_be({8}, 16));
}

TEST(ValueRange, EndsWhere64BitsEnd) {
  constexpr std::int64_t kLargest = std::int64_t{1} << 48;
  const Expression far{8, {{Variable::kCtaX, kLargest}}};
  EXPECT_TRUE(may_be(far, kLargest + 8));
  EXPECT_FALSE(may_be(far, 0));
  const Expression both{0, {{Variable::kCtaX, kLargest}, {Variable::kCtaY, -kLargest}}};
  EXPECT_TRUE(may_be(both, -kLargest));
}

}  // namespace
}  // namespace tcsim::isa
