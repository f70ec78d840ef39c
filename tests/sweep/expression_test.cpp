#include "sim/sweep/expression.hpp"

#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"

namespace tcsim::sweep {
namespace {

TEST(Expression, KnowsArithmeticComparisonsAndRemainders) {
  EXPECT_DOUBLE_EQ(evaluate("64 * 80 / sms", {{"sms", 40}}), 128);
  EXPECT_DOUBLE_EQ(evaluate("mod(n, 32) == 0 && n <= 64", {{"n", 64}}), 1);
  EXPECT_DOUBLE_EQ(evaluate("n < 64 || n > 64", {{"n", 64}}), 0);
}

TEST(Expression, ReadsNamesWithDotsOfMachineKeys) {
  EXPECT_DOUBLE_EQ(evaluate("l2.slices * 2", {{"l2.slices", 40}}), 80);
}

TEST(Expression, HasNoPlaceForNamesWithOtherCharacters) {
  const std::map<std::string, double> values{{"n", 64}, {"memory-mhz", 300}};
  EXPECT_DOUBLE_EQ(evaluate("n / 2", values), 32);
  EXPECT_EQ(test::refusal<ExpressionError>([&] { evaluate("memory-mhz > 1", values); }),
            "'memory-mhz > 1': 'memory-mhz' cannot stand in it; names here have letters, digits, _ "
            "and .");
}

TEST(Expression, HasItsNamesAsWholeWords) {
  EXPECT_TRUE(has_name("64/n", "n"));
  EXPECT_TRUE(has_name("min(nn, n)", "n"));
  EXPECT_FALSE(has_name("min(nn, k.n)", "n"));
}

TEST(Expression, RepeatsWhatItCannotRead) {
  EXPECT_THROW(evaluate("n +", {{"n", 1}}), ExpressionError);
  EXPECT_THROW(evaluate("nn + 1", {{"n", 1}}), ExpressionError);
  EXPECT_THROW(evaluate("1 / n", {{"n", 0}}), NotFinite);
}

TEST(Expression, HasOneValue) {
  EXPECT_EQ(test::refusal<ExpressionError>([] {
              evaluate("0,5 * n", {{"n", 64}});
            }),
            "'0,5 * n': has several values; a comma stands only between values of a function");
  EXPECT_DOUBLE_EQ(evaluate("min(n, 2) + 1", {{"n", 64}}), 3);
}

}  // namespace
}  // namespace tcsim::sweep
