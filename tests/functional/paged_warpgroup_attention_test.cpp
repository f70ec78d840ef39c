#include <gtest/gtest.h>

#include <algorithm>

#include "tests/functional/attention_values.hpp"
#include "tests/functional/small_hopper.hpp"
#include "workloads/kernels/attention/warpgroup_forward_plan.hpp"

namespace tcsim::functional::testing {
namespace {

using kernels::AttentionProblem;
using kernels::Element;

AttentionProblem in_pages(AttentionProblem problem) {
  problem.algorithm = kernels::AttentionAlgorithm::kPaged;
  return problem;
}

/// On a Hopper of `sms` SMs, by wgmma in `tile`.
void expect_paged(const AttentionProblem& problem, const std::string& tile, int sms = 2) {
  kernels::Target target = small_hopper(problem);
  target.sms = sms;
  ASSERT_EQ(kernels::why_no_attention(problem, target), "");
  EXPECT_EQ(kernels::attention_tiles(problem, target).front(), tile);
  EXPECT_EQ(kernels::make_attention(problem, target).front().name.substr(0, 16),
            "paged_warpgroup_");
  expect_attention(problem, target);
}

TEST(PagedWarpgroupAttention, MatchesTheDefinitionInEveryTile) {
  for (const std::int64_t dim : {40, 64})
    expect_paged(in_pages({.queries = 200, .keys = 330, .dim = dim}), "192x160_w12");
  expect_paged(in_pages({.queries = 200, .keys = 330, .dim = 64, .causal = true}), "192x128_w12");
  for (const std::int64_t dim : {96, 128})
    expect_paged(in_pages({.queries = 130, .keys = 200, .dim = dim}), "128x128_w8");
  expect_paged(in_pages({.queries = 50, .keys = 200, .dim = 128}), "64x128_w4");
  expect_paged(in_pages({.queries = 130, .keys = 200, .dim = 192}), "128x96_w8");
  expect_paged(in_pages({.queries = 130, .keys = 200, .dim = 256, .causal = true}), "128x80_w8");
}

TEST(PagedWarpgroupAttention, PacksTheHeadsOfAGroupIntoRows) {
  for (const std::int64_t group : {2, 3, 8})
    for (const bool causal : {false, true})
      expect_paged(in_pages({.batch = 2,
                             .heads = 2 * group,
                             .kv_heads = 2,
                             .queries = 200 / group,
                             .keys = 101,
                             .dim = 128,
                             .causal = causal,
                             .element = Element::kBf16}),
                   "128x128_w8");
}

TEST(PagedWarpgroupAttention, HidesTheFutureOfPackedRows) {
  for (const auto& [group, length] : {std::pair{1, 17}, {1, 300}, {5, 17}, {5, 300}, {12, 150}})
    expect_paged(in_pages({.heads = group,
                           .kv_heads = 1,
                           .queries = length,
                           .keys = length + 5,
                           .dim = 64,
                           .causal = true}),
                 "192x128_w12");
}

TEST(PagedWarpgroupAttention, DecodesWithSplitKeys) {
  for (const std::int64_t group : {1, 6})
    for (const std::int64_t keys : {1000, 1100})
      expect_paged(in_pages({.batch = 2,
                             .heads = 2 * group,
                             .kv_heads = 2,
                             .queries = 1,
                             .keys = keys,
                             .dim = 128,
                             .element = Element::kBf16}),
                   keys == 1000 ? "64x128_w4_splitkv4" : "64x128_w4_splitkv5", 20);
  expect_paged(in_pages({.heads = 8, .kv_heads = 1, .queries = 1, .keys = 1000, .dim = 256}),
               "128x80_w8_splitkv7", 20);
}

TEST(PagedWarpgroupAttention, DividesCausalKeysAmongCtas) {
  expect_paged(
      in_pages({.heads = 3, .kv_heads = 1, .queries = 66, .keys = 600, .dim = 96, .causal = true}),
      "128x128_w8_splitkv5", 20);
  // Some splits lie behind the diagonal of the first rows.
  expect_paged(in_pages({.queries = 700, .keys = 700, .dim = 128, .causal = true}),
               "128x128_w8_splitkv3", 20);
}

TEST(PagedWarpgroupAttention, CopiesABlockByTheThreadsOfAWarpgroup) {
  const AttentionProblem problem = in_pages(
      {.heads = 8, .kv_heads = 2, .queries = 100, .keys = 100, .dim = 128, .causal = true});
  const auto stream = kernels::make_attention(problem, small_hopper(problem));
  for (const isa::KernelLaunch& launch : stream)
    EXPECT_EQ(isa::validate(launch), std::vector<std::string>{}) << launch.name;
  const isa::KernelLaunch& launch = stream.front();
  EXPECT_EQ(launch.program_of_warp, (std::vector<int>{0, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2}));
  EXPECT_TRUE(launch.tensor_maps.empty());
  const auto count = [&](isa::Opcode opcode) {
    return std::ranges::count(launch.programs[0].instructions, opcode, &isa::Instruction::opcode);
  };
  // Q, K and V of the first block, K and V of the others: 128 rows of 256 bytes, 2 KiB at once.
  EXPECT_EQ(count(isa::Opcode::kLdgsts128), 5 * 128 * 256 / 2048);
  EXPECT_EQ(count(isa::Opcode::kArrivesLdgstsbar), 5);
  // Two numbers of sequences, two lengths, a page for each block of keys.
  EXPECT_EQ(count(isa::Opcode::kLdg32), 2 + 2 + 2);
}

TEST(PagedWarpgroupAttention, RacesWithoutItsFencesAndWaits) {
  using Plan = kernels::WarpgroupForwardPlan;
  const AttentionProblem problem =
      in_pages({.heads = 6, .kv_heads = 2, .queries = 50, .keys = 400, .dim = 128});
  EXPECT_EQ(racing_bytes_without(isa::Opcode::kMembar, problem), 0);
  EXPECT_GT(racing_bytes_without(isa::Opcode::kFenceViewAsync, problem), 0);
  for (const int barrier :
       {Plan::kValueEmpty, Plan::kValueFull, Plan::kKeyFull, Plan::kKeyEmpty, Plan::kQueryEmpty})
    EXPECT_GT(racing_bytes_without(isa::Opcode::kSyncsTryWait, problem, Plan::barrier(barrier)), 0)
        << barrier;
}

TEST(PagedWarpgroupAttention, StandsStillWithoutTheArrivalsOfItsCopies) {
  const AttentionProblem problem = in_pages({.queries = 1, .keys = 300, .dim = 128});
  EXPECT_EQ(racing_bytes_without(isa::Opcode::kArrivesLdgstsbar, problem), kRefused);
}

}  // namespace
}  // namespace tcsim::functional::testing
