#include <gmock/gmock.h>

#include "sim/config/target.hpp"
#include "sim/library/load.hpp"
#include "tests/functional/gemm_values.hpp"
#include "tests/functional/races.hpp"
#include "tests/functional/warpgroup_values.hpp"

namespace tcsim::functional::testing {
namespace {

using kernels::Element;
using kernels::GemmProblem;
using kernels::Layout;
using ::testing::HasSubstr;
using ::testing::StartsWith;

GemmProblem ragged(Element input, Element accumulate, Element output) {
  GemmProblem problem{.m = 200, .n = 328, .k = 144};
  problem.input = input;
  problem.accumulate = accumulate;
  problem.output = output;
  return problem;
}

TEST(WarpSpecialised, EqualsTheReferenceInEveryFormat) {
  expect_reference_product(
      on_hopper(ragged(Element::kFp16, Element::kFp32, Element::kFp16), "128x128_coop"));
  expect_reference_product(
      on_hopper(ragged(Element::kBf16, Element::kFp32, Element::kBf16), "128x256_coop"));
  expect_reference_product(
      on_hopper(ragged(Element::kFp16, Element::kFp16, Element::kFp16), "256x128_coop"));
  expect_reference_product(
      on_hopper(ragged(Element::kTf32, Element::kFp32, Element::kFp32), "128x64_coop"));
  expect_reference_product(
      on_hopper(ragged(Element::kInt8, Element::kInt32, Element::kInt32), "64x128_pingpong"));
}

TEST(WarpSpecialised, TakesTurnsInPingPongWithAnOddNumberOfTiles) {
  GemmProblem problem{.m = 320, .n = 64, .k = 192};
  expect_reference_product(on_hopper(problem, "64x64_pingpong"));
  problem.batch = 3;
  expect_reference_product(on_hopper(problem, "64x64_pingpong"));
}

TEST(WarpSpecialised, TakesOperandsOf16BitsInEveryLayout) {
  for (const Layout layout_a : {Layout::kNormal, Layout::kTransposed})
    for (const Layout layout_b : {Layout::kTransposed, Layout::kNormal}) {
      GemmProblem problem = ragged(Element::kBf16, Element::kFp32, Element::kFp32);
      problem.layout_a = layout_a;
      problem.layout_b = layout_b;
      expect_reference_product(on_hopper(problem, "256x128_coop"));
      problem.output = Element::kBf16;
      problem.batch = 2;
      expect_reference_product(on_hopper(problem, "128x64x64_s3_w8x1_pingpong"));
    }
}

TEST(WarpSpecialised, DividesColumnsWhereRowsAreFewAndHasPartsOfWideOnes) {
  const GemmProblem problem = ragged(Element::kFp16, Element::kFp32, Element::kFp16);
  for (const char* tile : {"192x192x64_s3_w8x1_coop", "64x128x64_s3_w8x1_coop",
                           "128x320x64_s3_w8x1_coop", "64x16x64_s4_w8x1_pingpong"})
    expect_reference_product(on_hopper(problem, tile));
  GemmProblem across = problem;
  across.layout_b = Layout::kNormal;
  expect_reference_product(on_hopper(across, "64x128x64_s3_w8x1_coop"));
}

/// The last slice has less of k than the others, or none of its last k-tiles.
TEST(WarpSpecialised, CutsKIntoSlicesThatASecondKernelAdds) {
  GemmProblem problem = ragged(Element::kBf16, Element::kFp32, Element::kBf16);
  problem.k = 1000;
  for (const char* tile : {"64x64x64_s3_w8x1_splitk3_pingpong", "128x96x64_s3_w8x1_splitk4_coop"})
    expect_reference_product(on_hopper(problem, tile));
}

/// Rows of the warpgroups' products along n: columns of D go through STSM.T or, of 32 bits, STS.
TEST(WarpSpecialised, TakesWeightsAsTheFirstOperand) {
  const GemmProblem problem = ragged(Element::kBf16, Element::kFp32, Element::kBf16);
  for (const char* tile :
       {"8x64x64_s5_w8x1_pingpong_swapped_halfboxes", "152x256x64_s2_w8x1_coop_swapped_halfboxes",
        "128x320x64_s2_w8x1_coop_swapped", "24x128x64_s3_w8x1_pingpong_swapped_halfboxes",
        "192x192x64_s2_w8x1_coop_swapped_halfboxes"})
    expect_reference_product(on_hopper(problem, tile));
  expect_reference_product(on_hopper(ragged(Element::kFp16, Element::kFp16, Element::kFp16),
                                     "40x128x64_s3_w8x1_pingpong_swapped_halfboxes"));
  expect_reference_product(on_hopper(ragged(Element::kBf16, Element::kFp32, Element::kFp32),
                                     "104x256x64_s3_w8x1_coop_swapped_halfboxes"));
  GemmProblem sliced = problem;
  sliced.k = 1000;
  expect_reference_product(
      on_hopper(sliced, "16x64x64_s8_w8x1_splitk3_pingpong_swapped_halfboxes"));
}

TEST(WarpSpecialised, TakesWeightsFirstInEveryLayoutAndOfSeveralMatrices) {
  for (const Layout layout_a : {Layout::kNormal, Layout::kTransposed})
    for (const Layout layout_b : {Layout::kTransposed, Layout::kNormal}) {
      GemmProblem problem = ragged(Element::kFp16, Element::kFp32, Element::kFp16);
      problem.layout_a = layout_a;
      problem.layout_b = layout_b;
      problem.batch = 2;
      expect_reference_product(on_hopper(problem, "64x128x64_s3_w8x1_pingpong_swapped_halfboxes"));
    }
}

/// Rows of A lie across k, or, swapped, columns of B.
TEST(WarpSpecialised, TakesTf32AcrossKFromRegisters) {
  GemmProblem problem = ragged(Element::kTf32, Element::kFp32, Element::kFp32);
  problem.layout_a = Layout::kTransposed;
  for (const char* tile :
       {"128x128x32_s3_w8x1_coop", "256x128x32_s2_w8x1_coop", "64x64x32_s3_w8x1_pingpong",
        "64x128x32_s3_w8x1_coop", "128x64x32_s3_w8x1_coop_c2x1", "128x128x32_s2_w8x1_splitk2_coop"})
    expect_reference_product(on_hopper(problem, tile));
  problem.layout_a = Layout::kNormal;
  problem.layout_b = Layout::kNormal;
  problem.batch = 2;
  for (const char* tile :
       {"128x128x32_s3_w8x1_coop_swapped", "64x256x32_s2_w8x1_coop_swapped_halfboxes",
        "40x64x32_s3_w8x1_pingpong_swapped_halfboxes"})
    expect_reference_product(on_hopper(problem, tile));
  problem.k = 16;
  expect_reference_product(on_hopper(problem, "128x128x32_s3_w8x1_coop_swapped"));
}

TEST(WarpSpecialised, AddsVectorsToColumnsThatAreRowsOfTheProduct) {
  using kernels::Activation;
  for (const Element output : {Element::kFp16, Element::kFp32}) {
    GemmProblem problem{.m = 200, .n = 200, .k = 80};
    problem.output = output;
    problem.batch = 2;
    problem.epilogue = {.scale = true, .bias = true, .activation = Activation::kRelu};
    expect_definition(problem, "88x128x64_s3_w8x1_pingpong_swapped_halfboxes");
    expect_definition(problem, "128x128x64_s3_w8x1_coop_swapped_halfboxes");
  }
  GemmProblem with_c{.m = 64, .n = 64, .k = 64};
  with_c.epilogue.residual = true;
  EXPECT_THAT(refusal_on_hopper(with_c, "64x64x64_s3_w8x1_coop_swapped"),
              HasSubstr("cannot add C"));
}

TEST(WarpSpecialised, StoresHalfBoxesAndTheRestOfAPart) {
  const GemmProblem problem = ragged(Element::kFp16, Element::kFp32, Element::kFp16);
  for (const char* tile :
       {"128x168x64_s3_w8x1_pingpong_halfboxes", "256x88x64_s3_w8x1_pingpong_halfboxes",
        "64x384x64_s2_w8x1_coop_halfboxes", "128x24x64_s3_w8x1_pingpong_halfboxes"})
    expect_reference_product(on_hopper(problem, tile));
  expect_reference_product(on_hopper(ragged(Element::kTf32, Element::kFp32, Element::kFp32),
                                     "128x40x32_s3_w8x1_pingpong_halfboxes"));
}

TEST(WarpSpecialised, ClustersShareRowsThatAreNoMultiplesOfEight) {
  GemmProblem problem = ragged(Element::kBf16, Element::kFp32, Element::kBf16);
  problem.m = 328;
  for (const char* tile :
       {"8x64x64_s5_w8x1_pingpong_c1x4_swapped_halfboxes",
        "152x256x64_s2_w8x1_coop_c2x1_swapped_halfboxes",
        "232x128x64_s2_w8x1_coop_c1x2_swapped_halfboxes", "128x168x64_s3_w8x1_pingpong_c4x1",
        "64x48x64_s5_w8x1_pingpong_c4x2_halfboxes",
        "80x64x64_s5_w8x1_pingpong_c2x4_swapped_halfboxes_waited",
        "128x128x64_s3_w8x1_coop_waited"}) {
    GemmValues gemm = on_hopper(problem, tile);
    gemm.target.sms_per_gpc = {9, 8};  // so few that a cluster has several tiles
    expect_reference_product(gemm);
  }
}

TEST(WarpSpecialised, MultipliesEightBitsWithAnExponent) {
  for (const Element input : {Element::kE4m3, Element::kE5m2})
    for (const Element output : {Element::kFp32, Element::kBf16, Element::kFp16})
      expect_reference_product(
          on_hopper(ragged(input, Element::kFp32, output), "128x128x128_s3_w8x1_coop"));
  expect_reference_product(on_hopper(ragged(Element::kE4m3, Element::kFp32, Element::kBf16),
                                     "64x64x128_s3_w8x1_splitk2_pingpong"));
}

TEST(WarpSpecialised, RoundsSumsOfIntegers) {
  for (const Element output : {Element::kFp32, Element::kFp16})
    expect_reference_product(
        on_hopper(ragged(Element::kInt8, Element::kInt32, output), "128x128x128_s3_w8x1_coop"));
}

TEST(WarpSpecialised, MultipliesBlocksByTheirFactors) {
  GemmProblem problem{.m = 136, .n = 200, .k = 272};
  problem.input = Element::kE4m3;
  problem.output = Element::kBf16;
  problem.block_scales = true;
  for (const char* tile : {"128x128x128_s4_w8x1_coop", "128x96x128_s4_w8x1_coop",
                           "64x120x128_s4_w4x1_coop", "64x16x128_s4_w4x1_coop"})
    expect_definition(problem, tile);
  problem.batch = 2;
  problem.output = Element::kFp32;
  problem.epilogue = {.bias = true};
  expect_definition(problem, "128x80x128_s4_w8x1_coop");
  EXPECT_THAT(refusal_on_hopper(problem, "128x192x128_s4_w8x1_coop"),
              HasSubstr("up to 128 columns"));
}

TEST(WarpSpecialised, TakesFactorsOfAnyNumberOfRows) {
  GemmProblem problem{.n = 200, .k = 272, .batch = 2};
  problem.input = Element::kE4m3;
  problem.output = Element::kBf16;
  problem.block_scales = true;
  for (const std::int64_t rows : {1, 7, 130}) {
    problem.m = rows;
    expect_definition(problem, "64x16x128_s4_w4x1_coop");
  }
}

TEST(WarpSpecialised, DoesWhatFollowsTheSums) {
  using kernels::Activation;
  for (const Element output : {Element::kFp16, Element::kFp32}) {
    GemmProblem problem{.m = 136, .n = 136, .k = 80};
    problem.output = output;
    problem.batch = 2;
    for (const kernels::GemmEpilogue& epilogue :
         {kernels::GemmEpilogue{true, true, true, Activation::kGelu},
          kernels::GemmEpilogue{.bias = true, .activation = Activation::kRelu},
          kernels::GemmEpilogue{.scale = true},
          kernels::GemmEpilogue{.residual = true, .activation = Activation::kSilu}}) {
      problem.epilogue = epilogue;
      expect_definition(problem,
                        epilogue.bias ? "128x128x64_s3_w8x1_pingpong" : "192x192x64_s3_w8x1_coop");
    }
  }
  GemmProblem narrow = ragged(Element::kFp16, Element::kFp16, Element::kFp16);
  narrow.epilogue = {true, true, true, Activation::kGelu};
  expect_definition(narrow, "128x128x64_s3_w8x1_coop");
  expect_definition(narrow, "64x128x64_s3_w8x1_splitk3_pingpong");
  GemmProblem bytes = ragged(Element::kInt8, Element::kInt32, Element::kFp32);
  bytes.epilogue = {true, true, false, Activation::kRelu};
  expect_definition(bytes, "128x128x128_s3_w8x1_coop");
}

TEST(WarpSpecialised, HasOneKTileOrFewStages) {
  expect_reference_product(on_hopper({.m = 256, .n = 128, .k = 8}, "128x128_coop"));
  expect_reference_product(on_hopper({.m = 256, .n = 128, .k = 640}, "128x128x64_s2_w8x1_coop"));
}

TEST(WarpSpecialised, RacesWithoutItsFenceOrAWaitTooShort) {
  const GemmValues gemm = on_hopper({.m = 512, .n = 256, .k = 512}, "128x128x64_s2_w8x1_coop");
  EXPECT_TRUE(has_race(races_with(gemm, isa::Opcode::kFenceViewAsync,
                                  [](isa::Instruction& i) { i = {.opcode = isa::Opcode::kNop}; }),
                       RaceKind::kMissingFence));
  EXPECT_TRUE(has_race(races_with(gemm, isa::Opcode::kWarpgroupDepbar,
                                  [](isa::Instruction& i) { i.immediate *= 2; }),
                       RaceKind::kWriteAfterRead));
  EXPECT_TRUE(has_race(
      races_with(gemm, isa::Opcode::kWarpgroupDepbar, [](isa::Instruction& i) { i.immediate = 1; }),
      RaceKind::kReadOfOpenSums));
  EXPECT_TRUE(
      has_race(races_with(gemm, isa::Opcode::kDepbar,
                          [](isa::Instruction& i) { i.immediate = i.immediate == 0 ? 0 : 4; }),
               RaceKind::kWriteToOpenRead));
}

TEST(WarpSpecialised, RacesWhereRegistersOfAreFilledTooEarly) {
  GemmProblem problem{.m = 256, .n = 128, .k = 256};
  problem.input = Element::kTf32;
  problem.output = Element::kFp32;
  problem.layout_a = Layout::kTransposed;
  const GemmValues gemm = on_hopper(problem, "128x128x32_s2_w8x1_coop");
  EXPECT_TRUE(
      has_race(races_with(gemm, isa::Opcode::kWarpgroupDepbar,
                          [](isa::Instruction& i) { i.immediate = i.immediate == 0 ? 0 : 4; }),
               RaceKind::kWriteToOpenRead));
}

TEST(WarpSpecialised, HasTwoGroupsAndAsManyStagesAsFitWhereATileLeavesThemOpen) {
  EXPECT_EQ(on_hopper({.m = 512, .n = 512, .k = 512}, "64x128x64_coop").tile.text(),
            "64x128x64_s8_w8x1_coop");
}

TEST(WarpSpecialised, SaysWhatItCannotDo) {
  EXPECT_THAT(refusal_on_hopper({.m = 128, .n = 128, .k = 65}, "128x128x64_s4_w8x1_coop"),
              HasSubstr("rows of A have 130 bytes, TMA takes multiples of 16"));
  EXPECT_THAT(refusal_on_hopper({.m = 128, .n = 128, .k = 64}, "128x130x64_s4_w8x1_coop"),
              HasSubstr("n must be a multiple of 8 up to 512, not 130"));
  EXPECT_THAT(refusal_on_hopper({.m = 128, .n = 128, .k = 64}, "96x128x64_s4_w8x1_coop"),
              HasSubstr("m must be a multiple of 64 up to 512, not 96"));
  EXPECT_THAT(refusal_on_hopper({.m = 128, .n = 128, .k = 64}, "64x136x64_s4_w8x1_coop"),
              HasSubstr("no product of warpgroups is 68 columns wide"));
  EXPECT_THAT(refusal_on_hopper({.m = 128, .n = 128, .k = 64}, "256x256x64_s2_w8x1_coop"),
              HasSubstr("registers"));
  EXPECT_THAT(refusal_on_hopper({.m = 128, .n = 128, .k = 64}, "128x256x64_s8_w8x1_coop"),
              HasSubstr("bytes of shared memory"));
  EXPECT_THAT(refusal_on_hopper({.m = 128, .n = 128, .k = 192}, "128x128x64_s4_w8x1_splitk4_coop"),
              HasSubstr("k = 192 has 3 k-tiles: 4 slices of 1 leave the last one empty"));
  EXPECT_THAT(refusal_on_hopper({.m = 128, .n = 128, .k = 512, .batch = 2},
                                "128x128x64_s4_w8x1_splitk4_coop"),
              HasSubstr("slices of k need one matrix"));
  EXPECT_THAT(refusal_on_hopper({.m = 192, .n = 192, .k = 100}, "192x192x64_coop"),
              HasSubstr("rows of A have 200 bytes, TMA takes multiples of 16"));
  EXPECT_THAT(refusal_on_hopper({.m = 512, .n = 512, .k = 512}, "64x136x64_coop"),
              HasSubstr("because of its n: no product of warpgroups is 68 columns wide"));
  for (const auto& [tile, why] :
       {std::pair{"128x128x64_coop_c8x4",
                  "cluster: has clusters of 32 CTAs, this machine's have up to 16"},
        {"128x128x64_coop_c3x1",
         "cluster: 3 CTAs of a cluster cannot read equal parts of 128 rows"},
        {"128x12x64_coop", "n: n must be a multiple of 8 up to 512, not 12"},
        {"128x128x64_s9_coop",
         "stages: needs 328704 bytes of shared memory, a CTA may have 232448"},
        {"128x256x32_coop", "k: k must be 64, the 128 bytes of a swizzled row, not 32"}})
    EXPECT_EQ(refusal_on_hopper({.m = 512, .n = 512, .k = 512}, tile),
              std::string("no tile '") + tile + "' on the menu because of its " + why);
  for (const auto& [tile, why] :
       {std::pair{"64x64_coop_noswizzle", "kernels of warpgroups need their swizzle"},
        {"64x64_coop_c4x8", "has clusters of 32 CTAs, this machine's have up to 16"},
        {"64x64_halfboxes", "clusters, swapped, halfboxes and waited need warpgroups"}})
    EXPECT_THAT(refusal_on_hopper({.m = 512, .n = 512, .k = 512}, tile),
                StartsWith(std::string("no tile '") + tile + "' on the menu: " + why));
  GemmProblem across{.m = 128, .n = 128, .k = 64};
  across.layout_b = Layout::kNormal;
  EXPECT_THAT(refusal_on_hopper(across, "192x192x64_s3_w8x1_coop"),
              HasSubstr("rows of B along n are copied 64 elements at once"));
  across.input = Element::kTf32;
  across.output = Element::kFp32;
  EXPECT_THAT(refusal_on_hopper(across, "128x128x32_s3_w8x1_coop"), HasSubstr("tiles are swapped"));
  across.layout_a = Layout::kTransposed;
  EXPECT_THAT(refusal_on_hopper(across, "128x128_coop"), HasSubstr("the other must lie along k"));
  across.input = Element::kE4m3;
  EXPECT_THAT(refusal_on_hopper(across, "128x128_coop"), HasSubstr("must lie along k (layout nt)"));
  GemmProblem sparse{.m = 512, .n = 64, .k = 512};
  sparse.sparse = true;
  EXPECT_THAT(refusal_on_hopper(sparse, "512x32x128_s2_w8x1_coop"), HasSubstr("at most 256 rows"));
  GemmProblem on_ampere{.m = 128, .n = 128, .k = 64};
  std::string reason;
  EXPECT_FALSE(kernels::parse_tile("128x128x64_s4_w8x1_coop", on_ampere,
                                   config::make_target(library::load_machine("a100"), on_ampere),
                                   reason)
                   .has_value());
  EXPECT_EQ(reason,
            "tile '128x128x64_s4_w8x1_coop': kernels of warpgroups need wgmma, TMA and mbarriers, "
            "which ampere does not have; a tile without roles has a kernel");
  for (const char* words : {"_c2x1", "_swapped", "_halfboxes", "_waited"}) {
    EXPECT_FALSE(kernels::parse_tile("128x128x32_s5_w2x2" + std::string(words), on_ampere,
                                     config::make_target(library::load_machine("a100"), on_ampere),
                                     reason)
                     .has_value())
        << words;
    EXPECT_THAT(reason, HasSubstr("need warpgroups"));
  }
}

TEST(WarpSpecialised, SaysInWhichFormatsItStores) {
  GemmProblem bytes{.m = 128, .n = 128, .k = 128};
  bytes.input = Element::kInt8;
  bytes.accumulate = Element::kInt32;
  bytes.output = Element::kInt8;
  const std::string tile = "128x128x128_s4_w8x1_coop";
  EXPECT_EQ(refusal_on_hopper(bytes, tile),
            "tile '" + tile +
                "': kernels of warpgroups do not store int32 sums as int8 (they do with out=int32, "
                "fp32, fp16 or bf16); a tile without roles has a kernel");
  GemmProblem halves{.m = 128, .n = 128, .k = 64};
  halves.accumulate = Element::kFp16;
  halves.output = Element::kFp32;
  EXPECT_THAT(refusal_on_hopper(halves, "128x128x64_s4_w8x1_coop"),
              HasSubstr("do not store fp16 sums as fp32 (they do with out=fp16)"));
}

/// With clusters of two CTAs, the GPCs holding three of them in all.
GemmValues clusters_of(const GemmProblem& problem, const std::string& tile) {
  GemmValues gemm = on_hopper(problem, tile);
  gemm.target.sms_per_gpc = {4, 3};
  return gemm;
}

TEST(WarpSpecialisedClusters, EqualTheReferenceOnRaggedShapes) {
  for (const char* tile : {"128x128_coop_c2x1", "128x128_coop_c1x2", "128x256_coop_c2x1"})
    expect_reference_product(
        clusters_of(ragged(Element::kFp16, Element::kFp32, Element::kFp16), tile));
  GemmProblem odd{.m = 328, .n = 136, .k = 264};  // an odd number of tiles: one CTA has none
  odd.batch = 2;
  expect_reference_product(clusters_of(odd, "128x128_coop_c2x1"));
  expect_reference_product(clusters_of(odd, "128x128_coop_c1x2"));
  expect_reference_product(
      clusters_of({.m = 768, .n = 384, .k = 320}, "128x128x64_s2_w8x1_coop_c2x1"));
  expect_reference_product(
      clusters_of({.m = 640, .n = 512, .k = 192}, "64x128x64_s3_w8x1_pingpong_c2x1"));
  GemmProblem across{.m = 200, .n = 328, .k = 1000};
  across.layout_a = Layout::kTransposed;
  across.layout_b = Layout::kNormal;
  expect_reference_product(clusters_of(across, "128x128x64_s3_w8x1_splitk2_coop_c2x1"));
}

/// Whole tiles, or the last one, lie beyond D where a cluster has more rows or columns of them than
/// D: nothing is read there of what follows the sums.
TEST(WarpSpecialisedClusters, ReadNothingOfTilesBeyondTheResult) {
  for (const auto& [m, n] : {std::pair{128, 64}, {24, 72}})
    for (const char* tile :
         {"64x64x64_s4_w8x1_pingpong_c2x4", "64x64x64_s4_w8x1_pingpong_c4x2",
          "128x64x64_s3_w8x1_coop_c1x4", "64x64x64_s4_w8x1_pingpong_c2x4_swapped_halfboxes"}) {
      GemmProblem problem{.m = m, .n = n, .k = 80};
      const bool is_swapped = std::string(tile).ends_with("_swapped_halfboxes");
      problem.epilogue = {.scale = true, .bias = true, .residual = !is_swapped};
      GemmValues gemm = on_hopper(problem, tile);
      gemm.target.sms_per_gpc = {9, 8};
      expect_definition(gemm);
    }
}

TEST(WarpSpecialisedClusters, ShareRowsOfBothOperands) {
  GemmProblem problem{.m = 264, .n = 328, .k = 264};
  for (const char* tile : {"128x128x64_s3_w8x1_coop_c2x2", "64x64x64_s4_w8x1_pingpong_c2x4",
                           "64x64x64_s4_w8x1_pingpong_c4x2", "128x96x64_s3_w8x1_coop_c3x2",
                           "64x128x64_s3_w8x1_splitk2_pingpong_c2x2"}) {
    GemmValues gemm = on_hopper(problem, tile);
    gemm.target.sms_per_gpc = {9, 8};
    expect_reference_product(gemm);
  }
}

TEST(WarpSpecialisedClusters, HaveAsManyCtasAsTheGpcsHold) {
  const GemmValues gemm = clusters_of({.m = 4096, .n = 4096, .k = 64}, "128x128_coop_c2x1");
  const isa::KernelLaunch launch = kernels::make_gemm(gemm.problem, gemm.tile, gemm.target);
  EXPECT_EQ(launch.cluster_size(), 2);
  EXPECT_EQ(launch.grid[0], 2 * (4 / 2 + 3 / 2));
}

/// What executing `gemm` with the boxes for several CTAs changed ends with.
std::string refusal_with(const GemmValues& gemm,
                         const std::function<void(isa::TileOperand&)>& change) {
  isa::KernelLaunch launch = kernels::make_gemm(gemm.problem, gemm.tile, gemm.target);
  for (isa::WarpProgram& program : launch.programs)
    for (const isa::Instruction& instruction : program.instructions)
      if (isa::opcode_info(instruction.opcode).effect == isa::Effect::kLoadTileToMany)
        change(std::get<isa::TileOperand>(
            program.async[static_cast<std::size_t>(instruction.access)]));
  GlobalMemory memory = random_operands(gemm, launch);
  const auto result = execute(launch, gemm.generation, memory);
  return result.has_value() ? "" : result.refusal().reason;
}

TEST(WarpSpecialisedClusters, AMaskOneBitOffIsCaught) {
  const GemmValues gemm = clusters_of({.m = 256, .n = 128, .k = 512}, "128x128_coop_c2x1");
  EXPECT_EQ(refusal_with(gemm, [](isa::TileOperand&) {}), "");
  EXPECT_THAT(refusal_with(gemm, [](isa::TileOperand& tile) { tile.ranks = {0b01}; }),
              HasSubstr("never ends"));
  EXPECT_THAT(refusal_with(gemm, [](isa::TileOperand& tile) { tile.ranks = {0b10}; }),
              HasSubstr("never ends"));
  EXPECT_THAT(refusal_with(gemm, [](isa::TileOperand& tile) { tile.ranks = {0b111}; }),
              HasSubstr("a mask of ranks of 7, allowed below 4 in a cluster of 2 CTAs"));
}

TEST(WarpSpecialisedClusters, RaceWhereTheOthersAreNotAsked) {
  const GemmValues gemm =
      clusters_of({.m = 512, .n = 256, .k = 1024}, "128x128x64_s2_w8x1_coop_c2x1");
  // The producer waits for its own consumers alone: each phase of the barrier has half the
  // arrivals.
  isa::KernelLaunch launch = kernels::make_gemm(gemm.problem, gemm.tile, gemm.target);
  for (isa::WarpProgram& program : launch.programs)
    for (isa::Instruction& instruction : program.instructions) {
      if (instruction.opcode == isa::Opcode::kSyncsArriveRemote)
        instruction = {.opcode = isa::Opcode::kNop};
      if (instruction.opcode != isa::Opcode::kSyncsExch) continue;
      auto& barrier = std::get<isa::BarrierOperand>(
          program.async[static_cast<std::size_t>(instruction.access)]);
      const std::int64_t at = barrier.address.constant / isa::kBarrierBytes;
      if (at >= gemm.tile.stages && at < 2 * std::int64_t{gemm.tile.stages}) barrier.value = {2};
    }
  GlobalMemory memory = random_operands(gemm, launch);
  const auto result = execute(launch, gemm.generation, memory);
  const bool is_caught = !result.has_value() || !result.value().races.empty();
  EXPECT_TRUE(is_caught);
}

TEST(WarpSpecialisedClusters, RaceWithoutTheBarrierBehindTheSetup) {
  const GemmValues gemm = clusters_of({.m = 512, .n = 256, .k = 512}, "128x128_coop_c2x1");
  isa::KernelLaunch launch = kernels::make_gemm(gemm.problem, gemm.tile, gemm.target);
  for (isa::WarpProgram& program : launch.programs)
    for (isa::Instruction& instruction : program.instructions) {
      if (instruction.opcode == isa::Opcode::kClusterArrive)
        instruction = {.opcode = isa::Opcode::kBarSync};
      if (instruction.opcode == isa::Opcode::kClusterWait)
        instruction = {.opcode = isa::Opcode::kNop};
    }
  GlobalMemory memory = random_operands(gemm, launch);
  const auto result = execute(launch, gemm.generation, memory);
  const bool is_caught = !result.has_value() || !result.value().races.empty();
  EXPECT_TRUE(is_caught);
}

TEST(WarpSpecialisedClusters, SayWhyTheyAreNone) {
  const GemmProblem problem{.m = 512, .n = 512, .k = 64};
  EXPECT_THAT(refusal_on_hopper(problem, "128x256x64_s3_w8x1_coop_c16x2"), HasSubstr("up to 16"));
  EXPECT_THAT(refusal_on_hopper(problem, "128x8x64_s4_w8x1_coop_c16x1"),
              HasSubstr("equal parts of 8 rows"));
  GemmProblem across = problem;
  across.layout_b = Layout::kNormal;
  EXPECT_THAT(refusal_on_hopper(across, "128x64x64_s4_w8x1_coop_c2x1"),
              HasSubstr("multiples of 64"));
}

}  // namespace
}  // namespace tcsim::functional::testing
