#include <gmock/gmock.h>

#include "models/isa/launch.hpp"
#include "sim/config/target.hpp"
#include "sim/library/load.hpp"
#include "tests/functional/gemm_values.hpp"
#include "tests/functional/hand_over_faults.hpp"
#include "tests/functional/warpgroup_values.hpp"

namespace tcsim::functional::testing {
namespace {

using kernels::Element;
using kernels::GemmProblem;
using kernels::Layout;
using ::testing::Each;
using ::testing::HasSubstr;

/// A Hopper of `sms` SMs, all of one GPC.
GemmValues on_sms(int sms, const GemmProblem& problem, const std::string& tile) {
  kernels::Target target = config::make_target(library::load_machine("h100"), problem);
  target.sms = sms;
  target.sms_per_gpc = {sms};
  std::string reason;
  const auto parsed = kernels::parse_tile(tile, problem, target, reason);
  EXPECT_TRUE(parsed.has_value()) << reason;
  return {target, numerics::Generation::kHopper, problem, parsed.value_or(kernels::GemmTile{})};
}

/// Ragged along m, n and k: 9 tiles of 64x64, 22 k-tiles of 64.
GemmProblem nine_tiles(Element input = Element::kFp16, Element accumulate = Element::kFp32,
                       Element output = Element::kFp16) {
  GemmProblem problem{.m = 136, .n = 184, .k = 1368};
  problem.input = input;
  problem.accumulate = accumulate;
  problem.output = output;
  return problem;
}

/// How many CTAs the tiles pass through, and how many tiles are passed on.
std::int64_t cuts_of(const GemmValues& gemm) {
  std::int64_t cuts = 0;
  for (std::int64_t row = 0; row * gemm.tile.m < gemm.problem.m; ++row)
    for (std::int64_t column = 0; column * gemm.tile.n < gemm.problem.n; ++column)
      cuts += std::ssize(kernels::stream_k_cuts(gemm.problem, gemm.tile, gemm.target, row, column));
  return cuts;
}

/// The same, of a product that is shared.
void expect_shared_product(const GemmValues& gemm) {
  EXPECT_GT(cuts_of(gemm), 0) << gemm;
  expect_reference_product(gemm);
}

constexpr const char* kSharedTile = "64x64x64_s3_w4x1_streamk_coop";

TEST(WarpgroupStreamK, AddsTheSumsOfATileInTheOrderOfK) {
  // Of 9 tiles, on 4 SMs: 5 are shared by 4 units and 4 taken whole; on 8, all by 8; on 20 and 24,
  // which are more than there are, several units come on each.
  for (const int sms : {4, 8, 20, 24})
    expect_shared_product(on_sms(sms, nine_tiles(), kSharedTile));
}

TEST(WarpgroupStreamK, CutsFewTilesIntoSlices) {
  GemmProblem problem = nine_tiles();
  problem.m = 128;
  problem.n = 64;
  expect_shared_product(on_sms(6, problem, kSharedTile));
}

/// 22 k-tiles in slices of 6, 6, 5 and 5; one each in the other product.
TEST(WarpgroupStreamK, CutsTilesIntoAsManySlicesAsItIsTold) {
  GemmProblem problem = nine_tiles();
  problem.n = 72;
  expect_shared_product(on_sms(24, problem, "64x64x64_s3_w4x1_splitk4_streamk_coop"));
  expect_shared_product(on_sms(24, problem, "64x64x64_s3_w4x1_splitk3_streamk_coop_c2x1"));
  problem.k = 136;
  expect_shared_product(on_sms(20, problem, "64x64x64_s3_w4x1_splitk3_streamk_coop"));
}

TEST(WarpgroupStreamK, LeavesShortProductsAndFullWavesWhole) {
  GemmProblem problem = nine_tiles();
  for (const std::int64_t k : {8, 64, 512}) {
    problem.k = k;
    const GemmValues gemm = on_sms(8, problem, kSharedTile);
    EXPECT_EQ(cuts_of(gemm), 0);
    expect_reference_product(gemm);
  }
  EXPECT_EQ(cuts_of(on_sms(9, nine_tiles(), kSharedTile)), 0);
  expect_reference_product(on_sms(9, nine_tiles(), kSharedTile));
}

TEST(WarpgroupStreamK, LetsUnitsOfAFewKTilesHaveNone) {
  // 9 k-tiles to a tile: ranges move to the edges of tiles, and units without any are left.
  GemmProblem problem = nine_tiles();
  problem.k = 576;
  expect_reference_product(on_sms(24, problem, kSharedTile));
}

TEST(WarpgroupStreamK, CoversTheFormats) {
  expect_shared_product(on_sms(8, nine_tiles(Element::kBf16, Element::kFp32, Element::kFp32),
                               "64x64x64_s3_w4x1_streamk_coop"));
  expect_shared_product(
      on_sms(8, nine_tiles(Element::kFp16, Element::kFp16, Element::kFp16), kSharedTile));
  GemmProblem problem = nine_tiles(Element::kTf32, Element::kFp32, Element::kFp32);
  problem.k = 684;
  expect_shared_product(on_sms(8, problem, "64x64x32_s3_w4x1_streamk_coop"));
  problem = nine_tiles(Element::kE4m3, Element::kFp32, Element::kBf16);
  problem.k = 2736;
  expect_shared_product(on_sms(8, problem, "64x64x128_s3_w4x1_streamk_coop"));
  problem = nine_tiles(Element::kInt8, Element::kInt32, Element::kInt32);
  problem.k = 2736;
  expect_shared_product(on_sms(8, problem, "64x64x128_s3_w4x1_streamk_coop"));
}

TEST(WarpgroupStreamK, DividesRowsAndColumnsBetweenConsumers) {
  GemmProblem problem{.m = 264, .n = 344, .k = 1368};
  expect_shared_product(on_sms(8, problem, "128x128x64_s3_w8x1_streamk_coop"));
  expect_shared_product(on_sms(5, problem, "192x128x64_s3_w12x1_streamk_coop"));
  expect_shared_product(on_sms(13, problem, "64x128x64_s3_w8x1_streamk_coop"));
  expect_shared_product(on_sms(5, problem, "128x320x64_s3_w8x1_streamk_coop"));
  expect_shared_product(on_sms(36, problem, "64x24x64_s3_w4x1_streamk_coop"));
  problem.layout_a = Layout::kTransposed;
  problem.layout_b = Layout::kNormal;
  expect_shared_product(on_sms(8, problem, "128x128x64_s3_w8x1_streamk_coop_waited"));
}

TEST(WarpgroupStreamK, SharesTilesBetweenClusters) {
  // 12, 12, 10, 6 and 8 tiles of a cluster on 10, 5, 9, 5 and 7 clusters.
  GemmProblem problem{.m = 264, .n = 200, .k = 1112};
  expect_shared_product(on_sms(20, problem, "64x64x64_s3_w4x1_streamk_coop_c2x1"));
  expect_shared_product(on_sms(10, problem, "64x64x64_s3_w4x1_streamk_coop_c2x1"));
  expect_shared_product(on_sms(18, problem, "64x64x64_s3_w4x1_streamk_coop_c1x2"));
  expect_shared_product(on_sms(20, problem, "64x64x64_s3_w4x1_streamk_coop_c2x2"));
  expect_shared_product(on_sms(14, problem, "128x64x64_s3_w8x1_streamk_coop_c2x1"));
  problem.k = 72;
  expect_reference_product(on_sms(20, problem, "64x64x64_s3_w4x1_streamk_coop_c2x1"));
}

TEST(WarpgroupStreamK, AppliesTheEpilogueOnceToEachTile) {
  GemmProblem problem = nine_tiles();
  problem.epilogue = {
      .scale = true, .bias = true, .residual = true, .activation = kernels::Activation::kRelu};
  const GemmValues gemm = on_sms(8, problem, kSharedTile);
  EXPECT_GT(cuts_of(gemm), 0);
  expect_definition(gemm);
}

TEST(WarpgroupStreamK, RacesOfHandedOverSumsAreFound) {
  expect_hand_over_faults_found(on_sms(20, nine_tiles(), kSharedTile), isa::Opcode::kSyncsTryWait);
}

TEST(WarpgroupStreamK, TakesWeightsAsTheFirstOperand) {
  GemmProblem problem = nine_tiles();
  expect_shared_product(on_sms(8, problem, "64x64x64_s3_w4x1_streamk_coop_swapped_halfboxes"));
}

TEST(WarpgroupStreamK, LeavesItsFlagsAtZero) {
  const GemmValues gemm = on_sms(8, nine_tiles(), kSharedTile);
  const auto stream = kernels::make_gemm_stream(gemm.problem, gemm.tile, gemm.target);
  ASSERT_EQ(stream.size(), 1U);
  GlobalMemory memory = random_operands(gemm, stream);
  ASSERT_TRUE(execute(stream, gemm.generation, memory).has_value());
  EXPECT_THAT(memory.buffer("semaphores"), Each(0));
  // So a second launch finds what the first one did.
  ASSERT_TRUE(execute(stream, gemm.generation, memory).has_value());
  EXPECT_EQ(difference(gemm, memory, reference_product(gemm, memory)), "");
}

TEST(WarpgroupStreamK, IsRefusedWithAReasonWhereThereIsNone) {
  const auto reason = [](GemmProblem problem, const char* tile) {
    return refusal_on_hopper(problem, tile);
  };
  EXPECT_THAT(reason(nine_tiles(), "64x64x64_s3_w8x1_streamk_pingpong"), HasSubstr("no ping-pong"));
  EXPECT_THAT(reason(nine_tiles(), "64x64x64_s3_w4x1_splitk2_streamk_coop"),
              HasSubstr("18 slices of tiles, but each needs one of the 2 clusters"));
  EXPECT_THAT(reason(nine_tiles(), "64x64x64_s3_w4x1_splitk23_streamk_coop"),
              HasSubstr("22 k-tiles: 23 slices of 1 leave the last one empty"));
  GemmProblem problem = nine_tiles();
  problem.batch = 2;
  EXPECT_THAT(reason(problem, kSharedTile), HasSubstr("not a batch"));
  problem = nine_tiles(Element::kE4m3, Element::kFp32, Element::kBf16);
  problem.k = 1280;
  problem.block_scales = true;
  EXPECT_THAT(reason(problem, "128x128x128_s3_w8x1_streamk_coop"),
              HasSubstr("no kernel for factors of blocks"));
}

}  // namespace
}  // namespace tcsim::functional::testing
