#include <gmock/gmock.h>

#include <algorithm>

#include "models/functional/execute.hpp"
#include "sim/values/gemm_operation.hpp"
#include "sim/values/gemm_values.hpp"
#include "sim/values/packed_weights.hpp"
#include "sim/values/tensor_values.hpp"
#include "tests/functional/gemm_values.hpp"
#include "tests/support/targets.hpp"
#include "workloads/kernels/kernel_plan.hpp"
#include "workloads/kernels/weight_order.hpp"

namespace tcsim::functional::testing {
namespace {

using kernels::Element;
using kernels::GemmProblem;
using kernels::GemmTile;
using kernels::Layout;
using kernels::PackedWeights;
using kernels::WeightOrder;
using numerics::Generation;

constexpr GemmTile kSkinny{.m = 16, .n = 128, .k = 64, .stages = 3, .warps_m = 1, .warps_n = 4};

/// Ends in the middle of a tile along m, n and k.
GemmProblem problem_of(Element input, const PackedWeights& weights, const GemmTile& tile) {
  return {.m = tile.m + 8,
          .n = tile.n + 40,
          .k = 3 * std::int64_t{tile.k} + 24,
          .input = input,
          .output = input,
          .weights = weights};
}

values::GemmRun run_of(const GemmProblem& problem, const GemmTile& tile, Generation generation) {
  return {problem, tile, generation, {}, {}, /*seed=*/7, true};
}

/// Executes the kernel, expects the chains of the reference and no race, and returns D.
values::GemmValues expect_reference_product(const GemmProblem& problem, const GemmTile& tile,
                                            const kernels::Target& target,
                                            Generation generation = Generation::kAmpere) {
  SCOPED_TRACE(tile.text() + " " + std::to_string(problem.weights.bits) + " bits, groups of " +
               std::to_string(problem.weights.group) +
               (problem.input == Element::kBf16 ? " bf16" : " fp16"));
  return expect_reference_values(run_of(problem, tile, generation), tile, target);
}

TEST(WeightOnlyGemm, MultipliesWhatItsIntegersStandFor) {
  for (const Element input : {Element::kFp16, Element::kBf16})
    for (const int bits : {4, 8})
      for (const std::int64_t group : {0, 32, 64, 128})
        expect_reference_product(problem_of(input, {bits, group}, kSkinny), kSkinny,
                                 kernels::testing::a100());
}

TEST(WeightOnlyGemm, HasFp16SumsBatchesAndATurnedA) {
  GemmProblem problem = problem_of(Element::kFp16, {4, 64}, kSkinny);
  problem.accumulate = Element::kFp16;
  expect_reference_product(problem, kSkinny, kernels::testing::a100());
  problem.accumulate = Element::kFp32;
  problem.batch = 2;
  expect_reference_product(problem, kSkinny, kernels::testing::a100());
  problem.layout_a = Layout::kTransposed;
  expect_reference_product(problem, kSkinny, kernels::testing::a100());
}

TEST(WeightOnlyGemm, CoversEveryTileOfTheMenuAndSlices) {
  const kernels::Target target = kernels::testing::a100();
  GemmProblem large{.m = 256, .n = 4096, .k = 4096, .weights = {4, 128}};
  const auto tiles = kernels::gemm_tiles(large, target);
  EXPECT_GE(tiles.size(), 8U);
  for (const int bits : {4, 8})
    for (GemmTile tile : tiles) {
      const GemmProblem problem = problem_of(Element::kFp16, {bits, 128}, tile);
      ASSERT_EQ(kernels::why_no_tile(problem, tile, target), "") << tile.text();
      expect_reference_product(problem, tile, target);
      tile.split_k = 2;
      expect_reference_product(problem, tile, target);
      tile.serial_k = true;
      expect_reference_product(problem, tile, target);
    }
}

TEST(WeightOnlyGemm, WarpGroupsReadTheScalesOfTheirPart) {
  const GemmTile sliced{
      .m = 16, .n = 128, .k = 128, .stages = 4, .warps_m = 1, .warps_n = 2, .sliced_k = 4};
  for (const std::int64_t group : {32, 64, 128, 256})
    expect_reference_product(problem_of(Element::kFp16, {4, group}, sliced), sliced,
                             kernels::testing::a100());
}

TEST(WeightOnlyGemm, StreamKSharesTheKTilesOfATile) {
  GemmTile tile = kSkinny;
  tile.stream_k = true;
  GemmProblem problem = problem_of(Element::kFp16, {4, 128}, tile);
  problem.k = 40 * std::int64_t{tile.k};
  values::GemmRun run = run_of(problem, tile, Generation::kAmpere);
  const kernels::Target target = kernels::testing::a100();
  run.cuts = [&](std::int64_t row, std::int64_t column) {
    return kernels::stream_k_cuts(problem, tile, target, row, column);
  };
  const auto stream = kernels::make_gemm_stream(problem, tile, target);
  const auto result = values::execute_gemm(run, stream, matrix_a(run), matrix_b(run));
  ASSERT_TRUE(result.has_value()) << result.refusal().reason;
  EXPECT_EQ(result.value().differences, 0);
  EXPECT_EQ(result.value().racing_bytes, 0);
}

TEST(WeightOnlyGemm, RunsOnTuring) {
  const GemmTile tile{.m = 32, .n = 128, .k = 64, .stages = 2, .warps_m = 1, .warps_n = 4};
  for (const int bits : {4, 8})
    for (const std::int64_t group : {0, 32, 128})
      expect_reference_product(problem_of(Element::kFp16, {bits, group}, tile), tile,
                               kernels::testing::t4(), Generation::kTuring);
}

TEST(WeightOnlyGemm, DoesWhatFollowsTheSums) {
  const kernels::Target target = kernels::testing::a100();
  for (const Element input : {Element::kFp16, Element::kBf16})
    for (const int bits : {4, 8})
      for (const int slices : {1, 2}) {
        GemmTile tile = kSkinny;
        tile.split_k = slices;
        tile.serial_k = slices > 1;
        GemmProblem problem = problem_of(input, {bits, 64}, tile);
        problem.epilogue = {true, true, true, kernels::Activation::kSilu};
        const auto stream = kernels::make_gemm_stream(problem, tile, target);
        const auto values = values::execute_operation(values::gemm_operation(problem, slices),
                                                      values::Distribution::kUniform, 7,
                                                      Generation::kAmpere, stream);
        ASSERT_TRUE(values.has_value()) << values.refusal().reason;
        EXPECT_EQ(values.value().racing_bytes, 0);
        EXPECT_EQ(values.value().results.front().outside, 0);
        EXPECT_GT(values.value().inputs[1].conversion.changed, 0);
      }
}

/// The triple loop over whole numbers that integers hold exactly: scales are 1.
TEST(WeightOnlyGemm, IsTheProductOfWeightsThatIntegersHold) {
  for (const Element input : {Element::kFp16, Element::kBf16})
    for (const int bits : {4, 8}) {
      GemmProblem problem = problem_of(input, {bits, 32}, kSkinny);
      problem.output = Element::kFp32;
      const std::int64_t most = (1 << (bits - 1)) - 1;
      values::Matrix a{1, problem.m, problem.k, {}};
      values::Matrix b{1, problem.k, problem.n, {}};
      for (std::int64_t i = 0; i < a.elements(); ++i)
        a.values.push_back(static_cast<double>(i * 7919 % 31 - 15));
      for (std::int64_t k = 0; k < problem.k; ++k)
        for (std::int64_t n = 0; n < problem.n; ++n) {
          const std::int64_t drawn = (k * 104729 + n * 1299709) % (2 * most + 1) - most;
          b.values.push_back(static_cast<double>(k % 8 == 0 ? most : drawn));  // scale 1
        }
      const values::GemmRun run = run_of(problem, kSkinny, Generation::kAmpere);
      const auto stream = kernels::make_gemm_stream(problem, kSkinny, kernels::testing::a100());
      const auto result = values::execute_gemm(run, stream, a, b);
      ASSERT_TRUE(result.has_value()) << result.refusal().reason;
      EXPECT_EQ(result.value().b.changed, 0);
      expect_exact_product(problem, a, b, result.value().d);
    }
}

TEST(WeightOnlyGemm, EveryIntegerAndScaleHasAPlaceOfItsOwn) {
  for (const int bits : {4, 8}) {
    const WeightOrder order({.m = 1, .n = 64, .k = 48, .weights = {bits, 32}});
    std::vector<int> uses(static_cast<std::size_t>(order.bytes_of_batch() * 8 / bits));
    for (std::int64_t k = 0; k < 48; ++k)
      for (std::int64_t n = 0; n < 64; ++n)
        ++uses.at(static_cast<std::size_t>(order.integer(k, n)));
    EXPECT_THAT(uses, ::testing::Each(1));
    std::vector<int> scales(static_cast<std::size_t>(order.scales_of_batch()));
    for (std::int64_t n = 0; n < 64; ++n) {
      ++scales.at(static_cast<std::size_t>(order.scale(0, n)));
      ++scales.at(static_cast<std::size_t>(order.scale(47, n)));
    }
    EXPECT_THAT(scales, ::testing::Each(1));
  }
}

TEST(WeightOnlyGemm, AnotherScaleChangesTheProduct) {
  const GemmProblem problem = problem_of(Element::kFp16, {4, 64}, kSkinny);
  const values::GemmRun run = run_of(problem, kSkinny, Generation::kAmpere);
  const auto stream = kernels::make_gemm_stream(problem, kSkinny, kernels::testing::a100());
  const auto d_with = [&](std::size_t changed_byte) {
    GlobalMemory memory(stream);
    values::store(matrix_a(run), {problem.input, true}, memory.buffer("A"));
    values::store_weights(matrix_b(run), problem, {memory.buffer("B"), memory.buffer("scale_b")});
    memory.buffer("scale_b")[changed_byte] ^= 1;
    EXPECT_TRUE(execute(stream, Generation::kAmpere, memory).has_value());
    const auto d = memory.buffer("D");
    return std::vector<std::uint8_t>(d.begin(), d.end());
  };
  const WeightOrder order(problem);
  const auto first = static_cast<std::size_t>(2 * order.scale(0, 5));
  const auto last = static_cast<std::size_t>(2 * order.scale(problem.k - 1, 5));
  EXPECT_NE(d_with(first), d_with(last));
}

TEST(WeightOnlyGemm, HasNoKernelWhereItCannotBe) {
  GemmProblem problem{.m = 64, .n = 256, .k = 256, .weights = {4, 128}};
  EXPECT_EQ(kernels::why_no_kernel(problem, kernels::testing::a100()), "");
  EXPECT_NE(kernels::why_no_kernel(problem, kernels::testing::v100()), "");
  problem.unit = kernels::Unit::kCudaCore;
  EXPECT_NE(kernels::why_no_kernel(problem, kernels::testing::a100()), "");
}

}  // namespace
}  // namespace tcsim::functional::testing
