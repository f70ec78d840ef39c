#include <gmock/gmock.h>

#include <bit>
#include <cmath>

#include "sim/values/operand_store.hpp"
#include "tests/functional/gemm_values.hpp"

namespace tcsim::functional::testing {
namespace {

using kernels::Element;
using kernels::GemmProblem;
using kernels::GemmTile;
using kernels::Layout;

constexpr GemmTile kDoubleTile{.m = 64, .n = 64, .k = 16, .stages = 4, .warps_m = 2, .warps_n = 2};

GemmValues doubles(const GemmTile& tile) {
  GemmProblem problem{
      .input = Element::kFp64, .accumulate = Element::kFp64, .output = Element::kFp64};
  // Ends in the middle of a tile, in odd numbers: FP64 kernels move element by element.
  problem.m = tile.m + 9;
  problem.n = tile.n / 2 + 5;
  problem.k = 3 * tile.k + 7;
  return {kernels::testing::a100(), numerics::Generation::kAmpere, problem, tile};
}

TEST(DoubleGemm, GivesTheChainOfFusedMultiplyAddsInEveryLayout) {
  GemmValues gemm = doubles(kDoubleTile);
  for (const Layout a : {Layout::kNormal, Layout::kTransposed})
    for (const Layout b : {Layout::kNormal, Layout::kTransposed}) {
      gemm.problem.layout_a = a;
      gemm.problem.layout_b = b;
      expect_reference_product(gemm);
    }
}

TEST(DoubleGemm, CoversTheMenuBatchesSlicesAndWarpGroups) {
  GemmProblem large{
      .input = Element::kFp64, .accumulate = Element::kFp64, .output = Element::kFp64};
  large.m = large.n = large.k = 512;
  const auto tiles = kernels::gemm_tiles(large, kernels::testing::a100());
  EXPECT_EQ(tiles.size(), 9U);
  for (const GemmTile& tile : tiles) expect_reference_product(doubles(tile));
  GemmValues gemm = doubles(kDoubleTile);
  gemm.problem.batch = 2;
  expect_reference_product(gemm);
  gemm.tile.split_k = 2;
  expect_reference_product(gemm);
  gemm.tile = {.m = 64, .n = 64, .k = 16, .stages = 4, .warps_m = 2, .warps_n = 1, .sliced_k = 2};
  expect_reference_product(gemm);
}

/// std::fma over ascending k on the host is the same chain.
TEST(DoubleGemm, IsTheHostsLoop) {
  const GemmValues gemm = doubles(kDoubleTile);
  const auto stream = kernels::make_gemm_stream(gemm.problem, gemm.tile, gemm.target);
  GlobalMemory memory = random_operands(gemm, stream);
  ASSERT_TRUE(execute(stream, gemm.generation, memory).has_value());
  const auto number = [&](const char* buffer, std::int64_t index) {
    return std::bit_cast<double>(values::pattern_at(memory.buffer(buffer), index, Element::kFp64));
  };
  const GemmProblem& p = gemm.problem;
  for (std::int64_t m = 0; m < p.m; ++m)
    for (std::int64_t n = 0; n < p.n; ++n) {
      double sum = 0;
      for (std::int64_t k = 0; k < p.k; ++k)
        sum = std::fma(number("A", m * p.k + k), number("B", n * p.k + k), sum);
      ASSERT_EQ(number("D", m * p.n + n), sum) << m << " " << n;
    }
}

GemmValues on_cuda_cores(const kernels::Target& target, numerics::Generation generation,
                         const GemmTile& tile) {
  GemmValues gemm{target, generation, doubles(tile).problem, tile};
  gemm.problem.unit = kernels::Unit::kCudaCore;
  return gemm;
}

TEST(DoubleGemm, OnCudaCoresIsTheSameChain) {
  constexpr GemmTile kDoubleStaged{
      .m = 64, .n = 64, .k = 8, .stages = 2, .warps_m = 2, .warps_n = 1};
  GemmValues gemm =
      on_cuda_cores(kernels::testing::v100(), numerics::Generation::kVolta, kDoubleStaged);
  for (const Layout a : {Layout::kNormal, Layout::kTransposed})
    for (const Layout b : {Layout::kNormal, Layout::kTransposed}) {
      gemm.problem.layout_a = a;
      gemm.problem.layout_b = b;
      expect_reference_product(gemm);
    }
  gemm.problem.m = 64;  // even rows: two elements at once where they lie across k
  gemm.problem.n = 32;
  expect_reference_product(gemm);
  gemm.tile.split_k = 2;
  gemm.problem.batch = 2;
  expect_reference_product(gemm);
}

TEST(DoubleGemm, OnCudaCoresCoversTheMenus) {
  GemmProblem large = doubles(kDoubleTile).problem;
  large.unit = kernels::Unit::kCudaCore;
  large.m = large.n = large.k = 512;
  const auto expect_menu = [&](const kernels::Target& target, numerics::Generation generation) {
    const auto tiles = kernels::gemm_tiles(large, target);
    EXPECT_EQ(tiles.size(), 5U);
    for (const GemmTile& tile : tiles)
      expect_reference_product(on_cuda_cores(target, generation, tile));
  };
  expect_menu(kernels::testing::v100(), numerics::Generation::kVolta);
  expect_menu(kernels::testing::a100(), numerics::Generation::kAmpere);
}

TEST(DoubleGemm, NeedsAmpereAndSumsOfItsOwnFormat) {
  GemmProblem problem = doubles(kDoubleTile).problem;
  EXPECT_EQ(kernels::why_no_kernel(problem, kernels::testing::a100()), "");
  EXPECT_NE(kernels::why_no_kernel(problem, kernels::testing::v100()), "");
  EXPECT_NE(kernels::why_no_kernel(problem, kernels::testing::t4()), "");
  problem.output = Element::kFp32;
  EXPECT_NE(kernels::why_no_kernel(problem, kernels::testing::a100()), "");
}

}  // namespace
}  // namespace tcsim::functional::testing
