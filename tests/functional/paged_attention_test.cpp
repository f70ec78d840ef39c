#include <gtest/gtest.h>

#include "tests/functional/attention_values.hpp"
#include "tests/support/targets.hpp"

namespace tcsim::functional::testing {
namespace {

using kernels::AttentionProblem;
using kernels::Element;

AttentionProblem paged(AttentionProblem problem) {
  problem.algorithm = kernels::AttentionAlgorithm::kPaged;
  return problem;
}

kernels::Target machine_of(int sms) {
  kernels::Target target = kernels::testing::a100();
  target.sms = sms;
  return target;
}

/// The text of the tile that the problem gets.
std::string tile_of(const AttentionProblem& problem, const kernels::Target& target) {
  for (const std::string& text : kernels::attention_tiles(problem, target))
    if (!text.empty()) return text;
  return "";
}

TEST(PagedAttention, MatchesTheDefinition) {
  for (const std::int64_t dim : {32, 40, 64, 96, 128, 192, 248})
    expect_attention(paged({.queries = 130, .keys = 200, .dim = dim}), machine_of(1));
}

TEST(PagedAttention, PacksTheHeadsOfAGroupIntoRows) {
  for (const std::int64_t group : {2, 3, 5, 8})
    for (const bool causal : {false, true})
      expect_attention(paged({.batch = 2,
                              .heads = 2 * group,
                              .kv_heads = 2,
                              .queries = 77,
                              .keys = 101,
                              .dim = 64,
                              .causal = causal}),
                       machine_of(1));
}

TEST(PagedAttention, HidesTheFutureOfPackedRows) {
  for (const std::int64_t group : {1, 5, 12})
    for (const std::int64_t length : {17, 64, 150})
      expect_attention(paged({.heads = group,
                              .kv_heads = 1,
                              .queries = length,
                              .keys = length,
                              .dim = 128,
                              .causal = true,
                              .element = Element::kBf16}),
                       machine_of(1));
}

TEST(PagedAttention, DividesCausalKeysAmongCtas) {
  for (const std::int64_t group : {1, 3}) {
    const AttentionProblem problem = paged({.heads = group,
                                            .kv_heads = 1,
                                            .queries = 200 / group,
                                            .keys = 600,
                                            .dim = 96,
                                            .causal = true});
    EXPECT_NE(tile_of(problem, machine_of(20)).find("128x48_w4_splitkv"), std::string::npos);
    expect_attention(problem, machine_of(20));
  }
}

TEST(PagedAttention, KeepsQInRegistersWhereItDivides) {
  const AttentionProblem problem = paged({.heads = 2,
                                          .kv_heads = 1,
                                          .queries = 70,
                                          .keys = 570,
                                          .dim = 128,
                                          .causal = true,
                                          .element = Element::kBf16});
  EXPECT_EQ(tile_of(problem, machine_of(6)), "128x112_w8_splitkv2");
  expect_attention(problem, machine_of(6));
}

TEST(PagedAttention, DividesTheKeysOfOneQuery) {
  for (const std::int64_t dim : {128, 256}) {
    const AttentionProblem problem = paged({.batch = 2,
                                            .heads = 8,
                                            .kv_heads = 2,
                                            .queries = 1,
                                            .keys = 1500,
                                            .dim = dim,
                                            .causal = true});
    EXPECT_EQ(tile_of(problem, machine_of(108)),
              dim == 128 ? "128x112_w8_splitkv7" : "128x64_w8_splitkv12");
    expect_attention(problem, machine_of(108));
  }
}

TEST(PagedAttention, CombinesNothingWhereSequencesStayWhole) {
  for (const std::int64_t dim : {64, 96, 128}) {
    const AttentionProblem problem = paged({.batch = 4,
                                            .heads = 1,
                                            .kv_heads = 1,
                                            .queries = 70,
                                            .keys = 570,
                                            .dim = dim,
                                            .causal = true});
    EXPECT_EQ(tile_of(problem, machine_of(4)), dim == 64   ? "128x80_w4"
                                               : dim == 96 ? "128x48_w4"
                                                           : "128x112_w8");
    EXPECT_EQ(kernels::make_attention(problem, machine_of(4)).size(), 3U);
    expect_attention(problem, machine_of(4));
  }
}

TEST(CacheWrite, PutsTheNewTokensBehindTheOldOnes) {
  for (const std::int64_t kv_heads : {1, 3, 4, 8})
    for (const std::int64_t keys : {30, 45})
      for (const std::int64_t dim : {40, 128}) {
        AttentionProblem problem = paged({.batch = 2,
                                          .heads = kv_heads,
                                          .kv_heads = kv_heads,
                                          .queries = 30,
                                          .keys = keys,
                                          .dim = dim,
                                          .causal = true});
        problem.writes_cache = true;
        expect_attention(problem, machine_of(1));
      }
}

TEST(CacheWrite, GoesBeforeTheFusedKernelToo) {
  AttentionProblem problem{.batch = 2,
                           .heads = 4,
                           .kv_heads = 2,
                           .queries = 1,
                           .keys = 700,
                           .dim = 128,
                           .element = Element::kBf16};
  problem.writes_cache = true;
  EXPECT_EQ(kernels::make_attention(problem, machine_of(108)).size(), 3U);
  expect_attention(problem, machine_of(108));
}

TEST(CacheWrite, IsOfForwardPassesOf16Bits) {
  AttentionProblem problem{.queries = 64, .keys = 64, .dim = 64, .element = Element::kTf32};
  problem.writes_cache = true;
  const char* reason = "the cache is written by fused and paged forward passes of fp16 and bf16";
  EXPECT_EQ(kernels::why_no_attention(problem, machine_of(108)), reason);
  problem.element = Element::kFp16;
  EXPECT_EQ(kernels::why_no_attention(problem, machine_of(108)), "");
  problem.pass = kernels::AttentionPass::kBackward;
  EXPECT_EQ(kernels::why_no_attention(problem, machine_of(108)), reason);
}

TEST(PagedAttention, SaysWhatItTakes) {
  const AttentionProblem wide = paged({.queries = 64, .keys = 64, .dim = 264});
  EXPECT_EQ(kernels::why_no_attention(wide, machine_of(108)),
            "the paged kernel needs head sizes that are multiples of 8 up to 256");
  const AttentionProblem tf32 =
      paged({.queries = 64, .keys = 64, .dim = 64, .element = Element::kTf32});
  EXPECT_EQ(kernels::why_no_attention(tf32, machine_of(108)),
            "the paged kernel supports fp16 and bf16");
  EXPECT_EQ(kernels::why_no_attention(paged({.queries = 64, .keys = 64, .dim = 64}),
                                      kernels::testing::v100()),
            "the paged kernel needs LDGSTS and HMMA.16816, which volta lacks");
}

}  // namespace
}  // namespace tcsim::functional::testing
