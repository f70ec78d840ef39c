// Products of groups of rows, with a B each, in one kernel of warpgroups.

#include <gmock/gmock.h>

#include "models/isa/uniforms.hpp"
#include "tests/functional/gemm_values.hpp"
#include "tests/functional/races.hpp"
#include "tests/functional/small_hopper.hpp"
#include "tests/functional/warpgroup_values.hpp"

namespace tcsim::functional::testing {
namespace {

using kernels::Element;
using kernels::GemmProblem;
using kernels::GroupLayout;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// One group of rows behind the other.
GemmProblem contiguous(std::vector<std::int64_t> rows) {
  GemmProblem problem{.n = 200, .k = 272};
  problem.input = problem.output = Element::kBf16;
  problem.groups = {GroupLayout::kContiguous, std::move(rows)};
  problem.m = problem.groups.total();
  return problem;
}

/// Groups of `rows`, with `capacity` rows in memory for each.
GemmProblem masked(std::vector<std::int64_t> rows, std::int64_t capacity) {
  GemmProblem problem = contiguous(std::move(rows));
  problem.groups.layout = GroupLayout::kMasked;
  problem.m = capacity;
  problem.batch = problem.groups.count();
  return problem;
}

GemmProblem with_block_scales(GemmProblem problem) {
  problem.input = Element::kE4m3;
  problem.block_scales = true;
  return problem;
}

TEST(GroupedProduct, OfContiguousRowsEqualsTheReference) {
  expect_reference_product(on_hopper(contiguous({128, 384, 256}), "128x128x64_s4_w8x1_coop"));
  expect_reference_product(on_hopper(contiguous({64, 192, 128, 64}), "64x96x64_s4_w4x1_coop"));
  expect_reference_product(on_hopper(contiguous({256, 0, 512}), "256x128x64_s3_w8x1_coop"));
}

TEST(GroupedProduct, OfMaskedRowsEqualsTheReference) {
  expect_reference_product(on_hopper(masked({7, 200, 129}, 264), "128x128x64_s4_w8x1_coop"));
  expect_reference_product(on_hopper(masked({1, 64, 65, 3}, 72), "64x80x64_s4_w4x1_coop"));
}

TEST(GroupedProduct, PassesOverGroupsWithoutRows) {
  expect_reference_product(on_hopper(masked({0, 0, 130, 0, 1, 0}, 136), "64x128x64_s4_w4x1_coop"));
  expect_reference_product(on_hopper(contiguous({0, 128, 0, 0, 128}), "128x256x64_s3_w8x1_coop"));
}

TEST(GroupedProduct, WithFactorsOfBlocksEqualsTheReferenceBitForBit) {
  expect_reference_product(
      on_hopper(with_block_scales(contiguous({128, 384, 256})), "128x128x128_s4_w8x1_coop"));
  expect_reference_product(
      on_hopper(with_block_scales(masked({7, 200, 0, 129}, 264)), "128x112x128_s4_w8x1_coop"));
  expect_reference_product(
      on_hopper(with_block_scales(masked({1, 64, 3}, 72)), "64x72x128_s4_w4x1_coop"));
  expect_reference_product(
      on_hopper(with_block_scales(masked({1, 0, 5}, 5)), "64x72x128_s4_w4x1_coop"));
  GemmProblem ungrouped{.m = 136, .n = 200, .k = 400, .batch = 2};
  ungrouped.output = Element::kBf16;
  expect_reference_product(on_hopper(with_block_scales(ungrouped), "128x96x128_s4_w8x1_coop"));
}

TEST(GroupedProduct, IsSharedByClusters) {
  const auto clusters_of = [](const GemmProblem& problem, const std::string& tile) {
    GemmValues gemm = on_hopper(problem, tile);
    gemm.target.sms_per_gpc = {4, 3};
    return gemm;
  };
  GemmProblem rows = with_block_scales(contiguous({128, 384, 256}));
  rows.n = 352;
  expect_reference_product(clusters_of(rows, "128x88x128_s4_w8x1_coop_c1x2"));
  expect_reference_product(
      clusters_of(contiguous({256, 512, 256}), "128x128x64_s4_w8x1_coop_c2x1"));
  expect_reference_product(clusters_of(masked({7, 300, 129}, 320), "128x128x64_s4_w8x1_coop_c2x1"));
}

TEST(GroupedProduct, DoesWhatFollowsTheSumsOfEachGroup) {
  GemmProblem problem = masked({5, 140}, 144);
  problem.epilogue = {true, true, true, kernels::Activation::kSilu};
  expect_definition(problem, "128x128x64_s3_w8x1_coop");
  GemmProblem rows = with_block_scales(contiguous({256, 128}));
  rows.epilogue = {.bias = true};
  expect_definition(rows, "128x80x128_s4_w8x1_coop");
}

/// The group of every tile of one CTA after the other, as its program computes it.
std::vector<std::int64_t> groups_of_tiles(const GemmValues& gemm) {
  const isa::KernelLaunch launch = kernels::make_gemm(gemm.problem, gemm.tile, gemm.target);
  const isa::WarpProgram& producer = launch.programs.front();
  constexpr std::size_t kGroup = 3;  // uniform
  std::vector<std::int64_t> groups;
  for (std::int64_t cta = 0; cta < launch.grid[0]; ++cta) {
    isa::Bindings bindings{cta};
    const std::int64_t trips = evaluate(producer.loops.front().trips, bindings);
    std::int64_t& trip = bindings[static_cast<std::size_t>(isa::Variable::kLoop0)];
    for (; trip < trips; ++trip) {
      isa::bind_uniforms(producer.uniforms, bindings);
      groups.push_back(bindings[static_cast<std::size_t>(isa::uniform_variable(kGroup))]);
    }
  }
  return groups;
}

TEST(GroupedProduct, WalksThroughAGroupBeforeTheNext) {
  GemmProblem problem = masked({100, 0, 300}, 384);
  problem.n = 128;
  EXPECT_THAT(groups_of_tiles(on_hopper(problem, "128x128x64_s4_w8x1_coop")),
              ElementsAre(0, 2, 2, 2));
}

TEST(GroupedProduct, RacesWhereAWaitIsTooShort) {
  const GemmValues gemm = on_hopper(masked({300, 512}, 512), "128x128x64_s2_w8x1_coop");
  EXPECT_TRUE(has_race(races_with(gemm, isa::Opcode::kFenceViewAsync,
                                  [](isa::Instruction& i) { i = {.opcode = isa::Opcode::kNop}; }),
                       RaceKind::kMissingFence));
  EXPECT_TRUE(has_race(races_with(gemm, isa::Opcode::kWarpgroupDepbar,
                                  [](isa::Instruction& i) { i.immediate *= 2; }),
                       RaceKind::kWriteAfterRead));
}

TEST(GroupedProduct, ReadsEveryGroupUpToItsOwnOnce) {
  const GemmValues gemm = on_hopper(masked({100, 0, 300, 20}, 384), "128x64x64_s4_w8x1_coop");
  const isa::KernelLaunch launch = kernels::make_gemm(gemm.problem, gemm.tile, gemm.target);
  EXPECT_EQ(launch.buffers[3].name, "masked_m");
  EXPECT_EQ(launch.buffers[3].bytes, 4U * 4);
  for (const int program : {0, 2}) {
    const isa::WarpProgram& warp = launch.programs[static_cast<std::size_t>(program)];
    int loads = 0;
    for (const isa::Instruction& instruction : warp.instructions)
      loads += instruction.opcode == isa::Opcode::kLdg32 ? 1 : 0;
    EXPECT_EQ(loads, 1);
  }
}

TEST(GroupedProduct, OfMoreTilesThanAreTriedIsValid) {
  const GemmProblem problem = masked(std::vector<std::int64_t>(16, 1'000'000), 1'000'000);
  const GemmValues gemm = on_hopper(problem, "128x128x64_s4_w8x1_coop");
  EXPECT_EQ(isa::validate(kernels::make_gemm(gemm.problem, gemm.tile, gemm.target)),
            std::vector<std::string>{});
}

TEST(GroupedProduct, AsksForMultiplesOfTheSmallestTile) {
  const auto why = [](const GemmProblem& problem) {
    return kernels::why_no_kernel(problem, small_hopper(problem));
  };
  for (const GemmProblem& problem : {contiguous({64, 192}), with_block_scales(contiguous({64}))})
    EXPECT_EQ(why(problem), "");
  for (const GemmProblem& problem :
       {contiguous({64, 100}), with_block_scales(contiguous({64, 100}))})
    EXPECT_EQ(why(problem),
              "rows of contiguous groups must be multiples of the tile's 64: group 1 has 100");
}

TEST(GroupedProduct, SaysWhatItCannotDo) {
  EXPECT_THAT(refusal_on_hopper(contiguous({128, 200}), "128x128x64_s4_w8x1_coop"),
              HasSubstr("multiples of the tile's 128: group 1 has 200"));
  EXPECT_THAT(refusal_on_hopper(contiguous({128, 256}), "128x128x64_s4_w8x1_pingpong"),
              HasSubstr("warpgroups that cooperate"));
  EXPECT_THAT(refusal_on_hopper(masked({10, 20}, 64), "192x128x64_s4_w12x1_coop"),
              HasSubstr("a power of two, not 192"));
}

}  // namespace
}  // namespace tcsim::functional::testing
