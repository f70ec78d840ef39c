#include <gtest/gtest.h>

#include "tests/kernels/gemm_check.hpp"

namespace tcsim::kernels::testing {
namespace {

/// Two CTAs along m and n, the second one ragged, and k-tiles with a ragged end; every side a
/// multiple of `multiple`.
GemmProblem ragged(GemmProblem problem, const GemmTile& tile, int multiple) {
  problem.m = tile.m + multiple;
  problem.n = tile.n + 3 * multiple;
  problem.k = 2 * tile.k + multiple;
  return problem;
}

GemmProblem half_problem() { return {.input = Element::kFp16, .output = Element::kFp16}; }

GemmProblem single_problem() {
  return {.input = Element::kFp32, .output = Element::kFp32, .unit = Unit::kCudaCore};
}

void expect_every_tile_right(GemmProblem problem, const Target& target) {
  const std::vector<GemmTile> tiles = gemm_tiles(problem, target);
  ASSERT_FALSE(tiles.empty());
  for (const GemmTile& tile : tiles) expect_right_product({target, ragged(problem, tile, 8), tile});
}

void expect_every_layout_right(GemmProblem problem, const Target& target, const GemmTile& tile,
                               int multiple) {
  for (const Layout a : kLayouts)
    for (const Layout b : kLayouts) {
      problem.layout_a = a;
      problem.layout_b = b;
      expect_right_product({target, ragged(problem, tile, multiple), tile});
    }
}

constexpr GemmTile kAmpereTile{.m = 64, .n = 64, .k = 32, .stages = 4, .warps_m = 2, .warps_n = 2};
constexpr GemmTile kStagedTile{.m = 64, .n = 64, .k = 32, .stages = 2, .warps_m = 2, .warps_n = 2};
constexpr GemmTile kSimtTile{.m = 64, .n = 64, .k = 8, .stages = 2, .warps_m = 2, .warps_n = 1};

/// Any problem that gemm_tiles accepts before its sizes are known.
GemmProblem sized(GemmProblem problem) {
  problem.m = problem.n = problem.k = 64;
  return problem;
}

TEST(AmpereProduct, IsRightForEveryTileOfTheMenu) {
  expect_every_tile_right(sized(half_problem()), a100());
}

/// Sides that are no powers of two, with ragged ends.
TEST(AmpereProduct, IsRightForOddSides) {
  GemmProblem problem = sized(half_problem());
  problem.layout_b = Layout::kTransposed;
  for (const char* text :
       {"96x64x32_s3_w2x2", "192x64x32_s3_w4x1", "48x128x32_s3_w1x4", "64x96x32_s3_w2x2",
        "128x192x32_s3_w4x2", "96x96x32_s3_w2x2", "48x48x64_s3_w1x1_sliced2", "96x64x32_s2_w2x2"}) {
    std::string reason;
    const auto tile = parse_tile(text, problem, a100(), reason);
    ASSERT_TRUE(tile) << reason;
    for (const int multiple : {8, 2}) {
      if (multiple == 2 && tile->stages > 2) continue;  // too few bytes for LDGSTS
      expect_right_product({a100(), ragged(problem, *tile, multiple), *tile});
    }
    if (tile->sliced_k > 1) continue;  // the interpreter adds no INT32 sums of groups
    GemmProblem bytes = problem;
    bytes.input = Element::kInt8;
    bytes.accumulate = bytes.output = Element::kInt32;
    GemmTile deep = *tile;
    deep.k *= 2;
    expect_right_product({a100(), ragged(bytes, deep, 16), deep});
  }
}

TEST(AmpereProduct, IsRightInEveryLayout) {
  expect_every_layout_right(half_problem(), a100(), kAmpereTile, 8);
  GemmTile tile = kAmpereTile;
  tile.k = 64;
  tile.m = 128;
  tile.n = 256;
  tile.warps_n = 4;
  tile.stages = 3;
  expect_every_layout_right(half_problem(), a100(), tile, 8);
}

TEST(AmpereProduct, IsRightWithOperandsAlignedToFewerBytes) {
  for (const int multiple : {4, 2, 1})
    expect_every_layout_right(half_problem(), a100(), kStagedTile, multiple);
}

TEST(AmpereProduct, IsRightForOtherFormats) {
  for (const Element output : {Element::kFp16, Element::kFp32, Element::kBf16}) {
    GemmProblem problem = half_problem();
    problem.output = output;
    expect_every_layout_right(problem, a100(), kAmpereTile, 8);
  }
  GemmProblem half_accumulators = half_problem();
  half_accumulators.accumulate = Element::kFp16;
  expect_every_layout_right(half_accumulators, a100(), kAmpereTile, 8);
  GemmProblem brain = half_problem();
  brain.input = brain.output = Element::kBf16;
  expect_every_layout_right(brain, a100(), kAmpereTile, 8);
}

TEST(AmpereProduct, IsRightForTf32AndInt8AlongK) {
  GemmTile tile = kAmpereTile;
  tile.k = 16;
  const GemmProblem tf32{.input = Element::kTf32, .output = Element::kFp32};
  expect_right_product({a100(), ragged(tf32, tile, 4), tile});
  expect_right_product({a100(), ragged(tf32, tile, 1), tile});
  tile.k = 64;
  const GemmProblem int8{
      .input = Element::kInt8, .accumulate = Element::kInt32, .output = Element::kInt32};
  expect_right_product({a100(), ragged(int8, tile, 16), tile});
  expect_right_product({a100(), ragged(int8, tile, 4), tile});
  tile.stages = 2;
  expect_right_product({a100(), ragged(int8, tile, 2), tile});
}

TEST(AmpereProduct, IsRightWithFewerKTilesThanStages) {
  GemmTile tile = kAmpereTile;
  tile.stages = 6;
  for (const int k : {8, 32, 40, 64, 96, 128, 160, 192, 224}) {
    GemmProblem problem = half_problem();
    problem.m = problem.n = 64;
    problem.k = k;
    expect_right_product({a100(), problem, tile});
  }
}

TEST(AmpereProduct, IsRightForBatchesAndAStripWithIdleCtas) {
  GemmProblem problem = half_problem();
  problem.m = 72;
  problem.n = 448;  // seven tiles in a strip of eight
  problem.k = 48;
  problem.batch = 3;
  expect_right_product({a100(), problem, kAmpereTile});
}

TEST(AmpereProduct, IsRightWithoutTheSwizzle) {
  GemmTile tile = kAmpereTile;
  tile.swizzle = false;
  expect_every_layout_right(half_problem(), a100(), tile, 8);
}

TEST(TuringProduct, IsRightForEveryTileOfTheMenu) {
  expect_every_tile_right(sized(half_problem()), t4());
}

TEST(TuringProduct, IsRightInEveryLayout) {
  expect_every_layout_right(half_problem(), t4(), kStagedTile, 8);
}

TEST(VoltaProduct, IsRightForEveryTileOfTheMenu) {
  expect_every_tile_right(sized(half_problem()), v100());
  GemmProblem half_accumulators = sized(half_problem());
  half_accumulators.accumulate = Element::kFp16;
  expect_every_tile_right(half_accumulators, v100());
}

TEST(VoltaProduct, IsRightInEveryLayoutAndAccumulator) {
  for (const Element accumulate : {Element::kFp32, Element::kFp16}) {
    GemmProblem problem = half_problem();
    problem.accumulate = accumulate;
    expect_every_layout_right(problem, v100(), kStagedTile, 8);
    GemmTile tile = kStagedTile;
    tile.m = tile.n = 128;
    expect_every_layout_right(problem, v100(), tile, 8);
  }
}

TEST(VoltaProduct, IsRightWithOperandsAlignedToFewerBytes) {
  for (const Element accumulate : {Element::kFp32, Element::kFp16})
    for (const int multiple : {4, 2, 1}) {
      GemmProblem problem = half_problem();
      problem.accumulate = accumulate;
      expect_every_layout_right(problem, v100(), kStagedTile, multiple);
    }
}

TEST(VoltaProduct, IsRightForFp32Output) {
  GemmProblem problem = half_problem();
  problem.output = Element::kFp32;
  expect_every_layout_right(problem, v100(), kStagedTile, 8);
}

TEST(SimtProduct, IsRightForEveryTileOfTheMenu) {
  expect_every_tile_right(sized(single_problem()), p100());
  expect_every_tile_right(sized(single_problem()), a100());
}

TEST(SimtProduct, IsRightInEveryLayoutAndAlignment) {
  for (const int multiple : {4, 2, 1}) {
    expect_every_layout_right(single_problem(), v100(), kSimtTile, multiple);
    GemmTile copying = kSimtTile;
    copying.stages = 5;
    expect_every_layout_right(single_problem(), a100(), copying, multiple);
  }
}

TEST(SimtProduct, IsRightWithThreadsOfFewColumns) {
  GemmTile tile{.m = 32, .n = 32, .k = 32, .stages = 2, .warps_m = 1, .warps_n = 1, .sliced_k = 4};
  expect_every_layout_right(single_problem(), v100(), tile, 4);
  tile.n = 64;
  tile.warps_n = 2;
  expect_every_layout_right(single_problem(), v100(), tile, 1);
}

TEST(SimtProduct, IsRightForFp16Output) {
  GemmProblem problem = single_problem();
  problem.output = Element::kFp16;
  for (const int multiple : {8, 2, 1}) {
    expect_right_product({v100(), ragged(problem, kSimtTile, multiple), kSimtTile});
    expect_right_product({a100(), ragged(problem, kSimtTile, multiple), kSimtTile});
  }
}

TEST(SimtProduct, IsRightForWarpTilesLongAlongM) {
  GemmTile tile = kSimtTile;
  tile.m = 128;
  tile.warps_n = 2;  // 64 x 32 per warp
  expect_every_layout_right(single_problem(), v100(), tile, 4);
}

}  // namespace
}  // namespace tcsim::kernels::testing
