#include <gtest/gtest.h>

#include "tests/functional/attention_values.hpp"
#include "tests/support/targets.hpp"
#include "workloads/kernels/attention/fused_tile.hpp"

namespace tcsim::functional::testing {
namespace {

using kernels::AttentionProblem;
using kernels::Element;

/// So few SMs that keys are not split.
kernels::Target one_sm() {
  kernels::Target target = kernels::testing::a100();
  target.sms = 1;
  return target;
}

TEST(FusedAttention, MatchesTheDefinition) {
  expect_attention({.queries = 128, .keys = 128, .dim = 64}, one_sm());
  expect_attention({.queries = 128, .keys = 320, .dim = 128}, one_sm());
}

TEST(FusedAttention, TakesEveryHeadSize) {
  for (const int dim : {32, 40, 96, 192, 200, 256})
    expect_attention({.queries = 64, .keys = 192, .dim = dim}, one_sm());
}

TEST(FusedAttention, MasksRaggedKeysAndDropsRaggedRows) {
  expect_attention({.heads = 2, .kv_heads = 2, .queries = 77, .keys = 201, .dim = 64}, one_sm());
  expect_attention({.heads = 2, .kv_heads = 2, .queries = 130, .keys = 65, .dim = 128}, one_sm());
  expect_attention({.queries = 3, .keys = 5, .dim = 128}, one_sm());
}

TEST(FusedAttention, HidesTheFuture) {
  for (const std::int64_t length : {40, 64, 65, 128, 300, 384})
    for (const std::int64_t dim : {64, 128})
      expect_attention({.queries = length, .keys = length, .dim = dim, .causal = true}, one_sm());
}

TEST(FusedAttention, AlignsTheDiagonalWithTheLastKey) {
  for (const std::int64_t keys : {256, 300, 331})
    expect_attention({.queries = 200, .keys = keys, .dim = 128, .causal = true}, one_sm());
}

TEST(FusedAttention, PassesOverBlocksWithoutVisibleKeys) {
  for (const std::int64_t dim : {80, 112, 256})
    expect_attention({.queries = 100, .keys = 150, .dim = dim, .causal = true}, one_sm());
}

TEST(FusedAttention, SharesKeysAmongTheHeadsOfAGroup) {
  expect_attention({.batch = 2, .heads = 6, .kv_heads = 2, .queries = 100, .keys = 140, .dim = 64},
                   one_sm());
}

TEST(FusedAttention, ComputesInBf16) {
  expect_attention({.batch = 2,
                    .heads = 2,
                    .kv_heads = 1,
                    .queries = 150,
                    .keys = 150,
                    .dim = 128,
                    .causal = true,
                    .element = Element::kBf16},
                   one_sm());
}

TEST(FusedAttention, ComputesInTf32) {
  for (const std::int64_t dim : {32, 36, 64, 96, 128, 256})
    expect_attention({.queries = 130, .keys = 200, .dim = dim, .element = Element::kTf32},
                     one_sm());
  expect_attention({.batch = 2,
                    .heads = 4,
                    .kv_heads = 2,
                    .queries = 150,
                    .keys = 150,
                    .dim = 64,
                    .causal = true,
                    .element = Element::kTf32},
                   one_sm());
}

TEST(FusedAttention, ComputesInInt8) {
  for (const std::int64_t dim : {32, 48, 64, 96, 128, 192, 256})
    expect_attention({.queries = 130, .keys = 200, .dim = dim, .element = Element::kInt8},
                     one_sm());
  expect_attention({.batch = 2,
                    .heads = 4,
                    .kv_heads = 2,
                    .queries = 150,
                    .keys = 150,
                    .dim = 128,
                    .causal = true,
                    .element = Element::kInt8},
                   one_sm());
  expect_attention(
      {.heads = 8, .kv_heads = 2, .queries = 1, .keys = 300, .dim = 64, .element = Element::kInt8},
      kernels::testing::a100());
}

TEST(FusedAttention, TakesBlocksOfOtherFormats) {
  for (const Element element : {Element::kTf32, Element::kInt8})
    for (const int rows : {64, 128}) {
      AttentionProblem problem{.queries = 100, .keys = 100, .dim = 64, .element = element};
      problem.block_rows = rows;
      problem.block_keys = 32;
      expect_attention(problem, one_sm());
    }
}

TEST(FusedAttention, NamesTheHeadSizesOfAFormat) {
  AttentionProblem problem{.queries = 64, .keys = 64, .dim = 40, .element = Element::kInt8};
  EXPECT_EQ(
      kernels::why_no_attention(problem, one_sm()),
      "the fused kernel needs head sizes that are multiples of 16 up to 256 (algo=unfused takes "
      "this one)");
  problem.dim = 42;
  EXPECT_EQ(kernels::why_no_attention(problem, one_sm()),
            "the fused kernel needs head sizes that are multiples of 16 up to 256");
  problem.algorithm = kernels::AttentionAlgorithm::kUnfused;
  EXPECT_EQ(kernels::why_no_attention(problem, one_sm()),
            "the unfused kernels of int8 need head sizes and keys that are multiples of 4");
}

TEST(FusedAttention, TakesEveryBlockThatMayBeAskedFor) {
  for (const int rows : {64, 128})
    for (const int keys : {32, 64, 128})
      for (const bool causal : {false, true}) {
        AttentionProblem problem{.queries = 150, .keys = 170, .dim = 64, .causal = causal};
        problem.block_rows = rows;
        problem.block_keys = keys;
        EXPECT_EQ(kernels::why_no_attention(problem, one_sm()).empty(), !causal);
        if (!causal) expect_attention(problem, one_sm());
      }
}

TEST(SplitAttention, CombinesThePartsOfOneQuery) {
  const kernels::Target target = kernels::testing::a100();
  for (const std::int64_t keys : {700, 1024})
    for (const std::int64_t dim : {64, 96, 128, 256})
      expect_attention({.batch = keys == 700 ? 2 : 1,
                        .heads = 4,
                        .kv_heads = 2,
                        .queries = 1,
                        .keys = keys,
                        .dim = dim,
                        .causal = true,
                        .element = Element::kBf16},
                       target);
}

TEST(SplitAttention, CombinesThePartsOfManyQueries) {
  expect_attention({.heads = 2, .kv_heads = 2, .queries = 70, .keys = 900, .dim = 128},
                   kernels::testing::a100());
}

TEST(SplitAttention, CombinesThePartsOfCausalQueries) {
  const kernels::Target target = kernels::testing::a100();
  for (const std::int64_t dim : {64, 128, 256}) {
    const kernels::AttentionProblem problem{
        .heads = 2, .kv_heads = 1, .queries = 150, .keys = 700, .dim = dim, .causal = true};
    EXPECT_GT(kernels::choose_fused_tile(problem, target).splits, 1);
    expect_attention(problem, target);
  }
}

TEST(SplitAttention, CombinesThePartsOfTf32) {
  for (const std::int64_t dim : {64, 100, 256})
    expect_attention({.heads = 4,
                      .kv_heads = 2,
                      .queries = 1,
                      .keys = 700,
                      .dim = dim,
                      .element = Element::kTf32},
                     kernels::testing::a100());
}

TEST(SplitAttention, KeepsTheHeadsOfAGroupTogetherWithoutSplits) {
  expect_attention({.heads = 12, .kv_heads = 3, .queries = 1, .keys = 200, .dim = 128}, one_sm());
}

AttentionProblem unfused(AttentionProblem problem) {
  problem.algorithm = kernels::AttentionAlgorithm::kUnfused;
  return problem;
}

TEST(UnfusedAttention, MatchesTheDefinition) {
  for (const bool causal : {false, true}) {
    expect_attention(unfused({.batch = 2,
                              .heads = 4,
                              .kv_heads = 2,
                              .queries = 70,
                              .keys = 136,
                              .dim = 64,
                              .causal = causal}),
                     kernels::testing::a100());
    expect_attention(unfused({.heads = 2,
                              .kv_heads = 2,
                              .queries = 65,
                              .keys = 65,
                              .dim = 40,
                              .causal = causal,
                              .element = Element::kBf16}),
                     kernels::testing::a100());
  }
}

TEST(UnfusedAttention, TransposesTf32Values) {
  for (const bool causal : {false, true})
    expect_attention(unfused({.batch = 2,
                              .heads = 4,
                              .kv_heads = 2,
                              .queries = 70,
                              .keys = 138,
                              .dim = 60,
                              .causal = causal,
                              .element = Element::kTf32}),
                     kernels::testing::a100());
}

TEST(UnfusedAttention, QuantisesTheProbabilitiesOfARow) {
  for (const bool causal : {false, true})
    for (const kernels::Target& target : {kernels::testing::a100(), kernels::testing::t4()})
      expect_attention(unfused({.batch = 2,
                                .heads = 4,
                                .kv_heads = 2,
                                .queries = 70,
                                .keys = 144,
                                .dim = 48,
                                .causal = causal,
                                .element = Element::kInt8}),
                       target);
  expect_attention(unfused({.queries = 3, .keys = 1100, .dim = 36, .element = Element::kInt8}),
                   kernels::testing::a100());
}

TEST(UnfusedAttention, RunsOnVolta) {
  expect_attention(
      unfused({.heads = 2, .kv_heads = 2, .queries = 64, .keys = 192, .dim = 64, .causal = true}),
      kernels::testing::v100());
}

}  // namespace
}  // namespace tcsim::functional::testing
