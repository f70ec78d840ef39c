#include <gtest/gtest.h>

#include "tests/functional/attention_values.hpp"
#include "tests/support/targets.hpp"

namespace tcsim::functional::testing {
namespace {

using kernels::AttentionProblem;
using kernels::Target;

/// So few SMs that keys are not split.
Target one_sm(Target target) {
  target.sms = 1;
  return target;
}

/// Machines whose tiles pass through registers: Volta by quad pairs, Turing by HMMA.1688.
class StagedAttention : public ::testing::TestWithParam<Target> {
 protected:
  static void expect_on_one_sm(const AttentionProblem& problem) {
    expect_attention(problem, one_sm(GetParam()));
  }
};

TEST_P(StagedAttention, MatchesTheDefinition) {
  expect_on_one_sm({.queries = 128, .keys = 192, .dim = 64});
  expect_on_one_sm({.queries = 128, .keys = 96, .dim = 128});
}

TEST_P(StagedAttention, TakesEveryHeadSize) {
  for (const int dim : {32, 40, 96, 192, 200, 256})
    expect_on_one_sm({.queries = 64, .keys = 96, .dim = dim});
}

TEST_P(StagedAttention, MasksRaggedKeysAndDropsRaggedRows) {
  expect_on_one_sm({.heads = 2, .kv_heads = 2, .queries = 77, .keys = 137, .dim = 64});
  expect_on_one_sm({.heads = 2, .kv_heads = 1, .queries = 130, .keys = 65, .dim = 104});
  expect_on_one_sm({.queries = 3, .keys = 5, .dim = 256});
}

TEST_P(StagedAttention, HidesTheFuture) {
  for (const std::int64_t length : {40, 65, 200})
    for (const std::int64_t dim : {64, 128})
      expect_on_one_sm({.queries = length, .keys = length, .dim = dim, .causal = true});
  expect_on_one_sm({.queries = 100, .keys = 150, .dim = 64, .causal = true});
}

TEST_P(StagedAttention, CombinesPartsOfSplitKeys) {
  for (const std::int64_t dim : {64, 96, 256})
    expect_attention({.heads = 6, .kv_heads = 2, .queries = 1, .keys = 300, .dim = dim},
                     GetParam());
  expect_attention({.queries = 70, .keys = 300, .dim = 128}, GetParam());
}

TEST_P(StagedAttention, TakesAnotherBlockAndWritesTheCache) {
  AttentionProblem problem{.queries = 100, .keys = 170, .dim = 64};
  problem.block_rows = 64;
  problem.block_keys = 128;
  expect_on_one_sm(problem);
  expect_on_one_sm(
      {.batch = 2, .queries = 10, .keys = 70, .dim = 64, .causal = true, .writes_cache = true});
}

TEST_P(StagedAttention, NamesWhatItDoesNotTake) {
  AttentionProblem problem{.queries = 64, .keys = 64, .element = kernels::Element::kBf16};
  EXPECT_EQ(kernels::why_no_attention(problem, GetParam()),
            "the fused kernel of " + GetParam().architecture + " takes fp16");
}

INSTANTIATE_TEST_SUITE_P(VoltaAndTuring, StagedAttention,
                         ::testing::Values(kernels::testing::v100(), kernels::testing::t4()),
                         [](const auto& target) { return target.param.architecture; });

}  // namespace
}  // namespace tcsim::functional::testing
