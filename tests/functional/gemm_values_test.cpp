#include <gtest/gtest.h>

#include <array>

#include "tests/functional/gemm_values.hpp"

namespace tcsim::functional::testing {
namespace {

using kernels::Element;
using kernels::GemmProblem;
using kernels::GemmTile;
using kernels::Layout;
using numerics::Generation;

/// Layout number 0 to 3: NN, NT, TN, TT.
GemmProblem with_layout(GemmProblem problem, std::size_t number) {
  problem.layout_a = number / 2 == 0 ? Layout::kNormal : Layout::kTransposed;
  problem.layout_b = number % 2 == 0 ? Layout::kNormal : Layout::kTransposed;
  return problem;
}

/// Ends in the middle of a tile along m, n and k; every side a multiple of `multiple`.
GemmProblem ragged(GemmProblem problem, const GemmTile& tile, int multiple) {
  problem.m = tile.m + multiple;
  problem.n = tile.n / 2 + 3 * multiple;
  problem.k = tile.k + multiple;
  return problem;
}

void expect_right(const GemmValues& family, const GemmProblem& problem, const GemmTile& tile) {
  expect_reference_product({family.target, family.generation, problem, tile});
}

std::vector<GemmTile> menu(const GemmValues& family) {
  GemmProblem problem = family.problem;
  problem.m = problem.n = problem.k = 64;
  return kernels::gemm_tiles(problem, family.target);
}

void expect_every_layout_right(const GemmValues& family, const GemmTile& tile) {
  for (std::size_t layout = 0; layout < 4; ++layout)
    for (const int multiple : {8, 4, 2, 1})
      expect_right(family, ragged(with_layout(family.problem, layout), tile, multiple), tile);
}

constexpr GemmTile kStagedTile{.m = 64, .n = 64, .k = 32, .stages = 2, .warps_m = 2, .warps_n = 2};
constexpr GemmTile kSimtTile{.m = 64, .n = 64, .k = 8, .stages = 2, .warps_m = 2, .warps_n = 1};

std::vector<GemmValues> all_families() {
  return {ampere(Element::kFp16, Element::kFp32, Element::kFp32),
          ampere(Element::kFp16, Element::kFp32, Element::kFp16),
          ampere(Element::kFp16, Element::kFp16, Element::kFp16),
          ampere(Element::kBf16, Element::kFp32, Element::kBf16),
          turing(Element::kFp32),
          turing(Element::kFp16),
          volta(Element::kFp32),
          volta(Element::kFp16),
          simt(kernels::testing::p100(), Generation::kVolta),
          simt(kernels::testing::v100(), Generation::kVolta),
          simt(kernels::testing::a100(), Generation::kAmpere)};
}

TEST(AmpereValues, EqualTheReferenceInEveryLayoutAndFormat) {
  GemmTile tile = kStagedTile;  // two elements are too few bytes for LDGSTS of three stages
  expect_every_layout_right(ampere(Element::kFp16, Element::kFp32, Element::kFp32), tile);
  tile = kCopyingTile;
  for (std::size_t layout = 0; layout < 4; ++layout)
    for (const GemmValues& family : {ampere(Element::kFp16, Element::kFp32, Element::kFp16),
                                     ampere(Element::kFp16, Element::kFp16, Element::kFp16),
                                     ampere(Element::kBf16, Element::kFp32, Element::kBf16),
                                     ampere(Element::kBf16, Element::kFp32, Element::kFp32)})
      expect_right(family, ragged(with_layout(family.problem, layout), tile, 8), tile);
}

TEST(AmpereValues, EqualTheReferenceForTf32AndInt8) {
  GemmTile tile = kCopyingTile;
  tile.k = 16;
  const GemmValues tf32 = ampere(Element::kTf32, Element::kFp32, Element::kFp32);
  for (std::size_t layout = 0; layout < 4; ++layout)
    expect_right(tf32, ragged(with_layout(tf32.problem, layout), tile, 4), tile);
  expect_right(tf32, ragged(tf32.problem, tile, 1), tile);
  tile.k = 64;
  const GemmValues int8 = ampere(Element::kInt8, Element::kInt32, Element::kInt32);
  for (const int multiple : {16, 4}) expect_right(int8, ragged(int8.problem, tile, multiple), tile);
  tile.stages = 2;
  expect_right(int8, ragged(int8.problem, tile, 2), tile);
}

TEST(AmpereValues, EqualTheReferenceWithFewerKTilesThanStages) {
  const GemmValues family = ampere(Element::kFp16, Element::kFp32, Element::kFp16);
  GemmTile tile = kCopyingTile;
  tile.stages = 6;
  for (const int k : {8, 32, 40, 64, 96, 128, 160, 192, 224}) {
    GemmProblem problem = family.problem;
    problem.m = problem.n = 64;
    problem.k = k;
    expect_right(family, problem, tile);
  }
}

TEST(AmpereValues, EqualTheReferenceWithoutTheSwizzle) {
  const GemmValues family = ampere(Element::kFp16, Element::kFp32, Element::kFp16);
  GemmTile tile = kCopyingTile;
  tile.swizzle = false;
  for (std::size_t layout = 0; layout < 4; ++layout)
    expect_right(family, ragged(with_layout(family.problem, layout), tile, 8), tile);
}

TEST(AmpereValues, EqualTheReferenceForOddSides) {
  for (const GemmValues& family : {ampere(Element::kFp16, Element::kFp32, Element::kFp16),
                                   ampere(Element::kFp16, Element::kFp32, Element::kFp32),
                                   ampere(Element::kInt8, Element::kInt32, Element::kInt32)}) {
    const int k = family.problem.input == Element::kInt8 ? 64 : 32;
    const GemmProblem problem = with_layout(family.problem, 1);
    for (const GemmTile& tile :
         {GemmTile{.m = 96, .n = 64, .k = k, .stages = 3, .warps_m = 2, .warps_n = 2},
          GemmTile{.m = 48, .n = 128, .k = k, .stages = 3, .warps_m = 1, .warps_n = 4},
          GemmTile{.m = 128, .n = 96, .k = k, .stages = 3, .warps_m = 4, .warps_n = 1},
          GemmTile{.m = 128, .n = 192, .k = k, .stages = 3, .warps_m = 4, .warps_n = 2},
          GemmTile{.m = 192, .n = 64, .k = k, .stages = 3, .warps_m = 4, .warps_n = 1},
          GemmTile{.m = 96, .n = 96, .k = k, .stages = 3, .warps_m = 2, .warps_n = 2},
          GemmTile{.m = 96, .n = 64, .k = k, .stages = 2, .warps_m = 2, .warps_n = 2}})
      expect_right(family, ragged(problem, tile, 16), tile);
  }
}

TEST(TuringValues, EqualTheReferenceForInt8) {
  const GemmValues int8{
      kernels::testing::t4(),
      Generation::kTuring,
      {.input = Element::kInt8, .accumulate = Element::kInt32, .output = Element::kInt32},
      {}};
  GemmTile tile = kStagedTile;
  tile.k = 64;
  for (const int multiple : {16, 4}) expect_right(int8, ragged(int8.problem, tile, multiple), tile);
}

TEST(AmpereValues, EqualTheReferenceOfBatchesAndOfALongChain) {
  const GemmValues family = ampere(Element::kFp16, Element::kFp32, Element::kFp16);
  GemmProblem problem = family.problem;
  problem.m = problem.n = 72;
  problem.k = 520;
  problem.batch = 2;
  expect_right(family, problem, kCopyingTile);
}

TEST(AmpereValues, EqualTheReferenceOfAStripWithIdleCtas) {
  const GemmValues family = ampere(Element::kFp16, Element::kFp32, Element::kFp16);
  GemmProblem problem = family.problem;
  problem.m = 72;
  problem.n = 448;  // seven tiles in a strip of eight
  problem.k = 48;
  problem.batch = 3;
  expect_right(family, problem, kCopyingTile);
}

TEST(HopperValues, EqualTheReferenceWithBlocksOfSixteen) {
  GemmValues family = ampere(Element::kFp16, Element::kFp32, Element::kFp32);
  family.generation = Generation::kHopper;
  expect_right(family, ragged(family.problem, kCopyingTile, 8), kCopyingTile);
}

TEST(TuringValues, EqualTheReferenceInEveryLayout) {
  expect_every_layout_right(turing(Element::kFp32), kStagedTile);
  expect_every_layout_right(turing(Element::kFp16), kStagedTile);
}

TEST(VoltaValues, EqualTheReferenceInEveryLayoutAndAccumulator) {
  expect_every_layout_right(volta(Element::kFp32), kStagedTile);
  expect_every_layout_right(volta(Element::kFp16), kStagedTile);
  GemmValues single = volta(Element::kFp32);
  single.problem.output = Element::kFp32;
  for (std::size_t layout = 0; layout < 4; ++layout)
    expect_right(single, ragged(with_layout(single.problem, layout), kStagedTile, 8), kStagedTile);
}

TEST(SimtValues, EqualTheReferenceInEveryLayout) {
  expect_every_layout_right(simt(kernels::testing::v100(), Generation::kVolta), kSimtTile);
  GemmTile copying = kSimtTile;
  copying.stages = 5;
  expect_every_layout_right(simt(kernels::testing::a100(), Generation::kAmpere), copying);
}

TEST(SimtValues, EqualTheReferenceForOtherShapesOfThreadsAndOutputs) {
  GemmValues family = simt(kernels::testing::v100(), Generation::kVolta);
  GemmTile tall = kSimtTile;
  tall.m = 128;
  tall.warps_n = 2;  // 64 x 32 per warp
  const GemmTile narrow{
      .m = 32, .n = 32, .k = 32, .stages = 2, .warps_m = 1, .warps_n = 1, .sliced_k = 4};
  for (const GemmTile& tile : {tall, narrow})
    for (std::size_t layout = 0; layout < 4; ++layout)
      expect_right(family, ragged(with_layout(family.problem, layout), tile, 4), tile);
  family.problem.output = Element::kFp16;
  for (const int multiple : {8, 2, 1})
    expect_right(family, ragged(family.problem, kSimtTile, multiple), kSimtTile);
}

TEST(AllValues, EqualTheReferenceForEveryTileInEveryLayout) {
  for (const GemmValues& family : all_families()) {
    const std::vector<GemmTile> tiles = menu(family);
    EXPECT_FALSE(tiles.empty());
    for (const GemmTile& tile : tiles)
      for (std::size_t layout = 0; layout < 4; ++layout)
        expect_right(family, ragged(with_layout(family.problem, layout), tile, 8), tile);
  }
}

}  // namespace
}  // namespace tcsim::functional::testing
