#include <gtest/gtest.h>

#include "sim/values/attention_backward_operation.hpp"
#include "tests/functional/attention_execution.hpp"
#include "tests/functional/small_hopper.hpp"
#include "workloads/kernels/attention/warpgroup_backward_plan.hpp"
#include "workloads/trace/instruction_counts.hpp"

namespace tcsim::functional::testing {
namespace {

using kernels::AttentionProblem;
using kernels::Element;

values::TensorValues gradients_of(const AttentionProblem& problem,
                                  const std::vector<isa::KernelLaunch>& stream) {
  return executed_stream(stream, values::attention_backward_operation(problem), /*seed=*/11,
                         numerics::Generation::kHopper);
}

void expect_gradients(const AttentionProblem& problem, const std::string& tile) {
  const kernels::Target target = small_hopper(problem);
  ASSERT_EQ(kernels::why_no_attention(problem, target), "");
  const bool is_grouped = problem.kv_heads < problem.heads;
  EXPECT_EQ(kernels::attention_tiles(problem, target).at(is_grouped ? 3 : 1), tile);
  const auto stream = kernels::make_attention(problem, target);
  EXPECT_EQ(stream.size(), is_grouped ? 7U : 3U);
  expect_bounded_gradients(gradients_of(problem, stream), problem);
}

TEST(WarpgroupBackward, GivesTheGradientsForEveryHeadSize) {
  for (const int dim : {32, 40, 64})
    expect_gradients(backward({.queries = 256, .keys = 256, .dim = dim}), "128x128_w8");
  for (const int dim : {72, 96, 128})
    expect_gradients(backward({.queries = 160, .keys = 256, .dim = dim}), "80x128_w8");
}

TEST(WarpgroupBackward, MasksRaggedKeysAndDropsRaggedRows) {
  for (const int dim : {64, 128}) {
    const std::string tile = dim == 64 ? "128x128_w8" : "80x128_w8";
    expect_gradients(backward({.queries = 77, .keys = 137, .dim = dim}), tile);
    expect_gradients(backward({.batch = 2, .heads = 2, .queries = 267, .keys = 65, .dim = dim}),
                     tile);
    expect_gradients(backward({.queries = 3, .keys = 5, .dim = dim}), tile);
  }
}

TEST(WarpgroupBackward, HidesTheFuture) {
  for (const std::int64_t length : {1, 40, 200, 400})
    for (const std::int64_t dim : {64, 128})
      expect_gradients(backward({.batch = length == 40 ? 2 : 1,
                                 .heads = length == 40 ? 3 : 1,
                                 .queries = length,
                                 .keys = length,
                                 .dim = dim,
                                 .causal = true}),
                       dim == 64 ? "128x128_w8" : "64x128_w8");
}

TEST(WarpgroupBackward, SumsTheGradientsOfKeysOverTheHeadsOfAGroup) {
  expect_gradients(
      grouped({.batch = 2, .heads = 4, .kv_heads = 2, .queries = 140, .keys = 150, .dim = 64}),
      "128x128_w8");
  for (const bool causal : {false, true})
    expect_gradients(
        grouped(
            {.heads = 4, .kv_heads = 2, .queries = 150, .keys = 150, .dim = 128, .causal = causal}),
        causal ? "64x128_w8" : "80x128_w8");
}

TEST(WarpgroupBackward, ComputesInBf16) {
  expect_gradients(backward({.batch = 2,
                             .heads = 2,
                             .queries = 200,
                             .keys = 200,
                             .dim = 64,
                             .causal = true,
                             .element = Element::kBf16}),
                   "128x128_w8");
}

TEST(WarpgroupBackward, TakesFiveProducts) {
  for (const int dim : {64, 128}) {
    const AttentionProblem problem =
        backward({.batch = 2, .heads = 3, .queries = 640, .keys = 256, .dim = dim});
    const auto stream = make_attention(problem, small_hopper(problem));
    EXPECT_EQ(trace::count_of_grid(stream[1]).mma_macs(),
              std::int64_t{5} * 2 * 3 * 640 * 256 * dim);
  }
}

/// What racing_bytes_without says of the main launch of four steps.
std::int64_t racing(isa::Opcode opcode, int barrier = -1, int program = -1) {
  const AttentionProblem problem = backward({.queries = 320, .keys = 128, .dim = 128});
  return racing_bytes_without(opcode, problem,
                              barrier < 0 ? -1 : kernels::WarpgroupBackwardPlan::barrier(barrier),
                              program, /*launch=*/1);
}

// Waits for the first of an mbarrier for each consumer name the one of a consumer number -1, since
// warps of the producer's warpgroup come first.
TEST(WarpgroupBackward, RacesWithoutAnyOfItsWaits) {
  using Plan = kernels::WarpgroupBackwardPlan;
  constexpr int kConsumer = 3;
  EXPECT_EQ(racing(isa::Opcode::kMembar), 0);
  EXPECT_GT(racing(isa::Opcode::kFenceViewAsync), 0);
  for (const int barrier : {+Plan::kKeysFull, +Plan::kQueryFull, +Plan::kQueryEmpty,
                            +Plan::kGradientFull, +Plan::kScoresStored, +Plan::kAllMeet})
    EXPECT_GT(racing(isa::Opcode::kSyncsTryWait, barrier), 0) << barrier;
  EXPECT_GT(racing(isa::Opcode::kSyncsTryWait, Plan::kSumsTaken - 1, kConsumer), 0);
  // The loader waits for Q of two steps before first, which is given back behind dO.
  EXPECT_EQ(racing(isa::Opcode::kSyncsTryWait, Plan::kGradientEmpty), 0);
  // The adder tells of sums that have not come; a warp ends before its sums have left.
  EXPECT_EQ(racing(isa::Opcode::kSyncsTryWait, Plan::kSumsStored), kRefused);
  EXPECT_EQ(racing(isa::Opcode::kDepbar), kRefused);
}

TEST(WarpgroupBackward, RacesWithoutTheMeetingRoundSumsOfKeys) {
  AttentionProblem problem = backward({.heads = 2, .queries = 80, .keys = 128, .dim = 128});
  problem.kv_heads = 1;
  using Plan = kernels::WarpgroupBackwardPlan;
  EXPECT_GT(racing_bytes_without(isa::Opcode::kSyncsTryWait, problem,
                                 Plan::barrier(Plan::kGroupMeets - 1), -1, /*launch=*/3),
            0);
}

}  // namespace
}  // namespace tcsim::functional::testing
