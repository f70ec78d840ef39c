#include <gtest/gtest.h>

#include "tests/functional/attention_values.hpp"
#include "tests/functional/small_hopper.hpp"
#include "workloads/kernels/attention/warpgroup_forward_plan.hpp"
#include "workloads/trace/instruction_counts.hpp"

namespace tcsim::functional::testing {
namespace {

using kernels::AttentionProblem;
using kernels::Element;

void expect_warpgroup_attention(const AttentionProblem& problem, const std::string& tile) {
  const kernels::Target target = small_hopper(problem);
  ASSERT_EQ(kernels::why_no_attention(problem, target), "");
  EXPECT_EQ(kernels::attention_tiles(problem, target).back(), tile);
  expect_attention(problem, target);
}

TEST(WarpgroupAttention, MatchesTheDefinitionInEveryTile) {
  expect_warpgroup_attention({.queries = 192, .keys = 384, .dim = 64}, "192x192_w12");
  expect_warpgroup_attention({.queries = 128, .keys = 528, .dim = 128}, "128x176_w8");
  expect_warpgroup_attention({.queries = 128, .keys = 224, .dim = 192}, "128x112_w8");
  expect_warpgroup_attention({.queries = 128, .keys = 240, .dim = 256}, "128x80_w8");
}

TEST(WarpgroupAttention, MasksRaggedKeysAndDropsRaggedRows) {
  expect_warpgroup_attention({.heads = 3, .kv_heads = 3, .queries = 77, .keys = 201, .dim = 64},
                             "192x192_w12");
  expect_warpgroup_attention({.heads = 3, .kv_heads = 3, .queries = 130, .keys = 65, .dim = 128},
                             "128x176_w8");
  expect_warpgroup_attention({.queries = 65, .keys = 5, .dim = 40}, "192x192_w12");
}

TEST(WarpgroupAttention, HidesTheFuture) {
  for (const std::int64_t length : {65, 128, 300})
    for (const std::int64_t dim : {64, 128})
      expect_warpgroup_attention({.heads = 3,
                                  .kv_heads = 3,
                                  .queries = length,
                                  .keys = length,
                                  .dim = dim,
                                  .causal = true},
                                 dim == 64 ? "192x128_w12" : "128x128_w8");
  expect_warpgroup_attention({.queries = 200, .keys = 331, .dim = 256, .causal = true},
                             "128x80_w8");
}

TEST(WarpgroupAttention, IsValidForMoreTilesThanAreTried) {
  AttentionProblem problem{.batch = 512,
                           .heads = 64,
                           .kv_heads = 64,
                           .queries = 1024,
                           .keys = 1024,
                           .dim = 64,
                           .causal = true};
  const auto expect_valid = [&] {
    for (const isa::KernelLaunch& launch : kernels::make_attention(problem, small_hopper(problem)))
      EXPECT_EQ(isa::validate(launch), std::vector<std::string>{}) << launch.name;
  };
  expect_valid();
  problem.algorithm = kernels::AttentionAlgorithm::kPaged;
  problem.kv_heads = 8;
  expect_valid();
  problem.algorithm = kernels::AttentionAlgorithm::kFused;
  problem.kv_heads = 64;
  problem.pass = kernels::AttentionPass::kBackward;
  expect_valid();
}

TEST(WarpgroupAttention, SharesKeysAmongTheHeadsOfAGroup) {
  for (const bool causal : {false, true})
    expect_warpgroup_attention({.batch = causal ? 1 : 2,
                                .heads = 6,
                                .kv_heads = 2,
                                .queries = 150,
                                .keys = 240,
                                .dim = 128,
                                .causal = causal,
                                .element = Element::kBf16},
                               causal ? "128x128_w8" : "128x176_w8");
}

TEST(WarpgroupAttention, RacesWithoutItsFencesAndWaits) {
  using Plan = kernels::WarpgroupForwardPlan;
  const AttentionProblem problem{
      .heads = 3, .kv_heads = 3, .queries = 128, .keys = 600, .dim = 128};
  EXPECT_EQ(racing_bytes_without(isa::Opcode::kMembar, problem), 0);
  EXPECT_GT(racing_bytes_without(isa::Opcode::kFenceViewAsync, problem), 0);
  for (const int barrier : {Plan::kValueEmpty, Plan::kValueFull, Plan::kKeyFull,
                            Plan::kOutputStored, Plan::kQueryEmpty})
    EXPECT_GT(racing_bytes_without(isa::Opcode::kSyncsTryWait, problem, Plan::barrier(barrier)), 0)
        << barrier;
}

/// Counters of a launch on H100 (hopper.md 10; MUFU: 1,926,936 with three more for each tile, of
/// the scheduler that deals the tiles out).
TEST(WarpgroupAttention, HasTheInstructionsThatCountersSaw) {
  AttentionProblem problem{.heads = 24,
                           .kv_heads = 24,
                           .queries = 2048,
                           .keys = 2048,
                           .dim = 64,
                           .causal = true,
                           .element = Element::kBf16};
  kernels::Target target = small_hopper(problem);
  target.sms = 132;
  const auto launch = kernels::make_attention(problem, target).front();
  const trace::InstructionCounts counts = trace::count_of_grid(launch);
  EXPECT_EQ(counts.mma(), 349056);
  EXPECT_EQ(counts.of(isa::Opcode::kMufuEx2) + counts.of(isa::Opcode::kMufuRcp) +
                counts.of(isa::Opcode::kMufuLg2),
            1926936 - 3 * 264);
  EXPECT_NEAR(static_cast<double>(counts.total()), 14482551, 0.02 * 14482551);
}

TEST(WarpgroupAttention, PacksHeadsWhereQueriesAreFew) {
  for (const bool causal : {false, true})
    for (const std::int64_t dim : {40, 64, 128, 192, 256}) {
      AttentionProblem problem{.batch = causal ? 1 : 2,
                               .heads = causal ? 6 : 3,
                               .kv_heads = causal ? 2 : 1,
                               .queries = 50,
                               .keys = 201,
                               .dim = dim,
                               .causal = causal,
                               .element = Element::kBf16};
      const std::string rows = dim <= 64 ? "192x" : "128x";
      const std::string tile = kernels::attention_tiles(problem, small_hopper(problem)).front();
      EXPECT_EQ(tile.substr(0, rows.size()), rows) << tile;
      expect_attention(problem, small_hopper(problem));
    }
}

TEST(WarpgroupAttention, DividesTheKeysOfOneQuery) {
  for (const std::int64_t group : {1, 5})
    for (const std::int64_t keys : {1000, 1500}) {
      const AttentionProblem problem{
          .heads = 2 * group, .kv_heads = 2, .queries = 1, .keys = keys, .dim = 128};
      kernels::Target target = small_hopper(problem);
      target.sms = 20;
      EXPECT_EQ(kernels::attention_tiles(problem, target).front(),
                keys == 1000 ? "64x176_w4_splitkv6" : "64x176_w4_splitkv5");
      expect_attention(problem, target);
    }
}

TEST(WarpgroupAttention, DividesCausalKeys) {
  const AttentionProblem problem{
      .heads = 4, .kv_heads = 2, .queries = 20, .keys = 1000, .dim = 128, .causal = true};
  kernels::Target target = small_hopper(problem);
  target.sms = 20;
  EXPECT_EQ(kernels::attention_tiles(problem, target).front(), "64x128_w4_splitkv4");
  expect_attention(problem, target);
}

TEST(WarpgroupAttention, RacesWithoutTheFenceAndTheWaitsOfPackedRows) {
  using Plan = kernels::WarpgroupForwardPlan;
  const AttentionProblem problem{.heads = 6, .kv_heads = 2, .queries = 50, .keys = 400, .dim = 128};
  EXPECT_EQ(racing_bytes_without(isa::Opcode::kMembar, problem), 0);
  EXPECT_GT(racing_bytes_without(isa::Opcode::kFenceViewAsync, problem), 0);
  for (const int barrier : {Plan::kQueryFull, Plan::kQueryEmpty, Plan::kOutputStored})
    EXPECT_GT(racing_bytes_without(isa::Opcode::kSyncsTryWait, problem, Plan::barrier(barrier)), 0)
        << barrier;
}

}  // namespace
}  // namespace tcsim::functional::testing
