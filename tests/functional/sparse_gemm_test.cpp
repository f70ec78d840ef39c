#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "models/functional/execute.hpp"
#include "sim/values/element.hpp"
#include "sim/values/gemm_values.hpp"
#include "sim/values/sparse_operand.hpp"
#include "tests/functional/gemm_values.hpp"
#include "tests/functional/warpgroup_values.hpp"
#include "tests/support/targets.hpp"
#include "workloads/kernels/sparse_metadata.hpp"

namespace tcsim::functional::testing {
namespace {

using kernels::Element;
using kernels::GemmProblem;
using kernels::GemmTile;
using kernels::Layout;
using kernels::MetadataOrder;
using numerics::Generation;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsNan;

GemmProblem problem_of(Element input, Element accumulate, Element output) {
  return {.input = input, .accumulate = accumulate, .output = output, .sparse = true};
}

constexpr GemmTile kTile{.m = 64, .n = 64, .k = 64, .stages = 3, .warps_m = 2, .warps_n = 2};

/// The tile with the depth that 128 bytes of A's format have.
GemmTile tile_for(Element input) {
  GemmTile tile = kTile;
  tile.k = 128 / kernels::element_bytes(input);
  return tile;
}

/// Ends in the middle of a tile along m, n and k.
GemmProblem sized(GemmProblem problem, const GemmTile& tile, int k_tiles) {
  problem.m = tile.m + 24;
  problem.n = tile.n / 2 + 16;
  problem.k = k_tiles * tile.k + MetadataOrder::step_k(problem.input);
  return problem;
}

values::GemmRun run_of(const GemmProblem& problem, const GemmTile& tile) {
  values::GemmRun run{problem, tile, Generation::kAmpere, {}, {}, /*seed=*/5, true};
  run.real_operands = problem.input != Element::kInt8;
  return run;
}

/// Executes the kernel, expects the chains of the reference and no race, and returns D.
values::GemmValues expect_reference_product(const GemmProblem& problem, const GemmTile& tile) {
  SCOPED_TRACE(tile.text() + " in=" + std::to_string(static_cast<int>(problem.input)) +
               " k=" + std::to_string(problem.k));
  return expect_reference_values(run_of(problem, tile), tile, kernels::testing::a100());
}

TEST(SparseGemm, GivesTheChainsOfTheKeptElementsInEveryFormat) {
  for (const auto& [input, accumulate, output] :
       {std::tuple(Element::kFp16, Element::kFp32, Element::kFp16),
        std::tuple(Element::kFp16, Element::kFp16, Element::kFp16),
        std::tuple(Element::kBf16, Element::kFp32, Element::kBf16),
        std::tuple(Element::kTf32, Element::kFp32, Element::kFp32),
        std::tuple(Element::kInt8, Element::kInt32, Element::kInt32)}) {
    const GemmTile tile = tile_for(input);
    const auto values =
        expect_reference_product(sized(problem_of(input, accumulate, output), tile, 3), tile);
    if (accumulate != Element::kFp16) {
      EXPECT_LT(values.arithmetic.norm_relative, 1e-2);
    }
  }
}

TEST(SparseGemm, TakesSixteenBitOperandsInEveryLayout) {
  GemmProblem problem = sized(problem_of(Element::kFp16, Element::kFp32, Element::kFp32), kTile, 2);
  for (const Layout a : {Layout::kNormal, Layout::kTransposed})
    for (const Layout b : {Layout::kNormal, Layout::kTransposed}) {
      problem.layout_a = a;
      problem.layout_b = b;
      expect_reference_product(problem, kTile);
    }
}

TEST(SparseGemm, CoversBatchesSlicesAndWarpGroups) {
  GemmProblem problem = sized(problem_of(Element::kFp16, Element::kFp32, Element::kFp32), kTile, 3);
  problem.batch = 2;
  expect_reference_product(problem, kTile);
  GemmTile tile = kTile;
  tile.split_k = 2;
  expect_reference_product(problem, tile);
  const GemmTile sliced{
      .m = 64, .n = 64, .k = 128, .stages = 4, .warps_m = 1, .warps_n = 2, .sliced_k = 2};
  expect_reference_product(problem, sliced);
  // Four blocks of metadata in one LDSM.
  const GemmTile high{.m = 64, .n = 64, .k = 128, .stages = 3, .warps_m = 1, .warps_n = 2};
  expect_reference_product(
      sized(problem_of(Element::kInt8, Element::kInt32, Element::kInt32), high, 2), high);
}

/// A kernel of warpgroups on a Hopper of two SMs; ragged along m, n and k.
void expect_reference_of_warpgroups(GemmProblem problem, const char* tile) {
  SCOPED_TRACE(tile);
  problem.m = problem.n = 136;
  problem.k = 192 + MetadataOrder::step_k(problem.input);
  const GemmValues gemm = on_hopper(problem, tile);
  values::GemmRun run = run_of(problem, gemm.tile);
  run.core = Generation::kHopper;
  const auto values = expect_reference_values(run, gemm.tile, gemm.target);
  EXPECT_EQ(values.elements, problem.batch * problem.m * problem.n);
}

TEST(SparseGemm, OfWarpgroupsGivesTheChainsOfTheKeptElementsInEveryFormat) {
  const auto fp16 = problem_of(Element::kFp16, Element::kFp32, Element::kFp16);
  for (const char* tile : {"128x256x128_s2_w8x1_coop", "256x128x128_s2_w8x1_coop",
                           "64x192x128_s3_w8x1_coop", "64x128x128_s3_w8x1_pingpong",
                           "128x64x128_s2_w8x1_coop_c2x1", "128x128x128_s2_w8x1_coop_c1x2"})
    expect_reference_of_warpgroups(fp16, tile);
  expect_reference_of_warpgroups(problem_of(Element::kFp16, Element::kFp16, Element::kFp16),
                                 "128x128x128_s2_w8x1_coop");
  expect_reference_of_warpgroups(problem_of(Element::kBf16, Element::kFp32, Element::kFp32),
                                 "128x64x128_s2_w8x1_coop");
  expect_reference_of_warpgroups(problem_of(Element::kTf32, Element::kFp32, Element::kFp32),
                                 "128x128x64_s2_w8x1_coop");
  expect_reference_of_warpgroups(problem_of(Element::kInt8, Element::kInt32, Element::kInt32),
                                 "128x128x256_s2_w8x1_coop");
  GemmProblem batch = fp16;
  batch.batch = 2;
  expect_reference_of_warpgroups(batch, "128x128x128_s2_w8x1_coop");
}

TEST(SparseGemm, OfWarpgroupsSaysWhatItDoesNotTake) {
  GemmProblem problem = problem_of(Element::kFp16, Element::kFp32, Element::kFp16);
  problem.m = problem.n = problem.k = 256;
  EXPECT_THAT(refusal_on_hopper(problem, "128x128x64_s3_w8x1_coop"),
              HasSubstr("k must be 128, the 128 bytes of a swizzled row of a sparse A"));
  EXPECT_THAT(refusal_on_hopper(problem, "128x128x128_s2_w8x1_splitk2_coop"),
              HasSubstr("without a sparse A"));
  problem.layout_b = Layout::kNormal;
  EXPECT_THAT(refusal_on_hopper(problem, "128x128x128_s2_w8x1_coop"),
              HasSubstr("both operands along k"));
}

/// The triple loop over small whole numbers, which every format adds exactly.
TEST(SparseGemm, IsTheProductOfThePrunedMatrix) {
  for (const Element input : {Element::kFp16, Element::kTf32, Element::kInt8}) {
    const bool integers = input == Element::kInt8;
    const GemmTile tile = tile_for(input);
    const GemmProblem problem = sized(problem_of(input, integers ? Element::kInt32 : Element::kFp32,
                                                 integers ? Element::kInt32 : Element::kFp32),
                                      tile, 2);
    values::Matrix a{1, problem.m, problem.k, {}};
    values::Matrix b{1, problem.k, problem.n, {}};
    for (std::int64_t i = 0; i < a.elements(); ++i)
      a.values.push_back(static_cast<double>(i * 7919 % 31 - 15));
    for (std::int64_t i = 0; i < b.elements(); ++i)
      b.values.push_back(static_cast<double>(i * 104729 % 23 - 11));
    values::GemmRun run = run_of(problem, tile);
    run.a.given = a;
    run.b.given = b;
    const values::Matrix kept = matrix_a(run);
    const auto stream = kernels::make_gemm_stream(problem, tile, kernels::testing::a100());
    const auto result = values::execute_gemm(run, stream, kept, b);
    ASSERT_TRUE(result.has_value()) << result.refusal().reason;
    expect_exact_product(problem, kept, b, result.value().d);
  }
}

TEST(SparseGemm, KeepsTheLargerHalfOfEveryChunk) {
  const values::Matrix a{1, 1, 8, {1, -4, 3, 2, 5, 5, 5, 5}};
  EXPECT_THAT(pruned(a, Element::kFp16).values, ElementsAre(0, -4, 3, 0, 5, 5, 0, 0));
  EXPECT_THAT(pruned(a, Element::kTf32).values, ElementsAre(0, -4, 3, 0, 5, 0, 5, 0));
}

TEST(SparseGemm, KeepsHalfOfAChunkWithNans) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const values::Matrix a{1, 1, 12, {kNan, kNan, kNan, 9, 1, kInfinity, 2, kNan, 3, kNan, 5, 4}};
  EXPECT_THAT(pruned(a, Element::kFp16).values, ElementsAre(IsNan(), IsNan(), 0, 0,    //
                                                            0, kInfinity, 0, IsNan(),  //
                                                            0, IsNan(), 5, 0));
  EXPECT_THAT(pruned(a, Element::kTf32).values,
              ElementsAre(IsNan(), 0, IsNan(), 0, 0, kInfinity, 0, IsNan(), 0, IsNan(), 5, 0));
}

/// The conversion's error is that of the other rows.
TEST(SparseGemm, ANanStaysInItsRow) {
  const GemmProblem problem =
      sized(problem_of(Element::kFp16, Element::kFp32, Element::kFp32), kTile, 2);
  values::GemmRun run = run_of(problem, kTile);
  run.a.given = matrix_a(run);
  run.a.given->values[static_cast<std::size_t>(problem.k)] = NAN;
  const auto values = expect_reference_values(run, kTile, kernels::testing::a100());
  EXPECT_EQ(values.specials.nans, problem.n);
  ASSERT_TRUE(values.conversion.has_value());
  EXPECT_LT(values.conversion->norm_relative, 1e-2);
}

TEST(SparseGemm, MetadataThatKeepOtherElementsChangeTheProduct) {
  const GemmProblem problem =
      sized(problem_of(Element::kFp16, Element::kFp32, Element::kFp32), kTile, 2);
  const values::GemmRun run = run_of(problem, kTile);
  const auto stream = kernels::make_gemm_stream(problem, kTile, kernels::testing::a100());
  GlobalMemory memory(stream);
  const values::Matrix a = matrix_a(run);
  values::store_sparse(a, problem, kTile, memory.buffer("A"), memory.buffer("E"));
  const auto before = values::load_sparse(problem, kTile, memory.buffer("A"), memory.buffer("E"));
  for (std::size_t i = 0; i < a.values.size(); ++i)
    ASSERT_EQ(before.values[i] == 0, a.values[i] == 0) << i;
  // Nothing selects two elements at one place: the instruction has no meaning for it.
  std::ranges::fill(memory.buffer("E"), std::uint8_t{0});
  EXPECT_THAT(execute(stream, Generation::kAmpere, memory).refusal().reason,
              ::testing::HasSubstr("metadata nibble"));
}

TEST(SparseGemm, RefusesWhatItCannotAlign) {
  const kernels::Target target = kernels::testing::a100();
  GemmProblem problem = problem_of(Element::kFp16, Element::kFp32, Element::kFp16);
  problem.m = problem.n = 256;
  problem.k = 144;
  EXPECT_THAT(
      kernels::why_no_kernel(problem, target),
      ::testing::AllOf(::testing::HasSubstr("k = 144"), ::testing::HasSubstr("multiple of 32")));
  problem.k = 160;
  EXPECT_EQ(kernels::why_no_kernel(problem, target), "");
  EXPECT_NE(kernels::why_no_kernel(problem, kernels::testing::v100()), "");
  problem.unit = kernels::Unit::kCudaCore;
  EXPECT_NE(kernels::why_no_kernel(problem, target), "");
}

TEST(SparseGemm, TilesOfTheMenuFit) {
  for (const Element input : {Element::kFp16, Element::kInt8}) {
    GemmProblem problem =
        problem_of(input, input == Element::kInt8 ? Element::kInt32 : Element::kFp32,
                   input == Element::kInt8 ? Element::kInt32 : Element::kFp16);
    problem.m = problem.n = problem.k = 4096;
    const auto tiles = kernels::gemm_tiles(problem, kernels::testing::a100());
    EXPECT_GE(tiles.size(), 12U);
    EXPECT_TRUE(std::ranges::any_of(
        tiles, [](const GemmTile& tile) { return tile.m == 256 && tile.n == 128; }));
    EXPECT_TRUE(std::ranges::any_of(
        tiles, [](const GemmTile& tile) { return tile.m == 128 && tile.n == 128; }));
  }
}

}  // namespace
}  // namespace tcsim::functional::testing
