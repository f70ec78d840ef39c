#include "sim/stats/formula.hpp"

#include <gtest/gtest.h>

#include "sim/errors/errors.hpp"
#include "tests/stats/sample_tree.hpp"

namespace tcsim::stats {
namespace {

class Formula : public ::testing::Test {
 protected:
  Formula() : values_(summarize(tree_.root)) {
    values_.set_fact("cycles", 44.0);
    values_.set_fact("flop", std::nullopt);
  }
  std::optional<double> value(std::string_view formula) const { return evaluate(formula, values_); }
  std::string error(std::string_view formula) const {
    try {
      evaluate(formula, values_);
    } catch (const InternalError& thrown) {
      return thrown.what();
    }
    return "";
  }

  SampleTree tree_;
  Values values_;
};

TEST_F(Formula, MultipliesBeforeItAdds) { EXPECT_EQ(value("1 + 2 * 3 - 4 / 8"), 6.5); }

TEST_F(Formula, AppliesOperatorsOfOneRankFromTheLeft) {
  EXPECT_EQ(value("10 - 4 - 3"), 3.0);
  EXPECT_EQ(value("16 / 4 / 2"), 2.0);
}

TEST_F(Formula, HonoursParentheses) { EXPECT_EQ(value("(1 + 2) * (3 - 1)"), 6.0); }

TEST_F(Formula, TakesTheLargest) {
  EXPECT_EQ(value("10 / max(1 + 1, 5)"), 2.0);
  EXPECT_EQ(value("max(2, cycles, 3)"), 44.0);
  EXPECT_EQ(value("max(2, 1, flop)"), std::nullopt);
  EXPECT_EQ(value("max(cycles, 2)"), 44.0);
  EXPECT_EQ(value("max(flop, 2)"), std::nullopt);
  EXPECT_EQ(error("max(1)"), "formula 'max(1)', column 6: missing ,");
}

TEST_F(Formula, NamesCountersBySumAndScopesByInstances) {
  EXPECT_EQ(value("sub_core.issued"), 22.0);
  EXPECT_EQ(value("sub_core.issued / (cycles * sub_core.instances)"), 22.0 / (44 * 4));
}

TEST_F(Formula, IsNotApplicableWhenADivisorIsZero) {
  EXPECT_EQ(value("1 / (2 - 2) + 3"), std::nullopt);
}

TEST_F(Formula, IsNotApplicableWhenAFactHasNoValue) {
  EXPECT_EQ(value("flop / cycles"), std::nullopt);
}

TEST_F(Formula, RefusesANameThatNobodyProvides) {
  EXPECT_EQ(error("sub_core.isued"), "no counter and no fact named sub_core.isued");
}

TEST_F(Formula, RefusesMalformedText) {
  EXPECT_EQ(error("1 +"), "formula '1 +', column 4: expected a name, a number or (");
  EXPECT_EQ(error("(1"), "formula '(1', column 3: missing )");
  EXPECT_EQ(error("1 2"), "formula '1 2', column 3: unexpected rest");
}

TEST(Values, RefuseANameThatTwoScopesProvide) {
  Group root("gpu");
  Group left("left", root);
  Group right("right", root);
  Group left_queue("queue", left);
  Group right_queue("queue", right);
  const Counter first(left_queue, "entries", "entries", "first");
  const Counter second(right_queue, "entries", "entries", "second");
  const Values values(summarize(root));
  EXPECT_THROW((void)values.at("queue.entries"), InternalError);
  EXPECT_EQ(values.at("left.instances"), 1.0);
}

}  // namespace
}  // namespace tcsim::stats
