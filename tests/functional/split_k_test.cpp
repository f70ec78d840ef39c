#include <gmock/gmock.h>

#include "tests/functional/gemm_values.hpp"

namespace tcsim::functional::testing {
namespace {

using kernels::Element;
using kernels::GemmTile;
using kernels::Layout;
using numerics::Generation;

constexpr GemmTile kStaged{.m = 64, .n = 64, .k = 32, .stages = 2, .warps_m = 2, .warps_n = 2};
constexpr GemmTile kSimt{.m = 64, .n = 64, .k = 8, .stages = 2, .warps_m = 2, .warps_n = 1};

GemmTile split(GemmTile tile, int slices) {
  tile.split_k = slices;
  return tile;
}

/// Two groups of warps in place of two warps along n, over k-tiles twice as deep.
GemmTile sliced(GemmTile tile) {
  tile.k *= 2;
  tile.warps_n = 1;
  tile.sliced_k = 2;
  return tile;
}

/// Ends in the middle of a tile along m and n; k has `k_tiles` and a ragged rest.
GemmValues sized(GemmValues gemm, int k_tiles, int multiple) {
  gemm.problem.m = gemm.tile.m + multiple;
  gemm.problem.n = gemm.tile.n / 2 + 3 * multiple;
  gemm.problem.k = k_tiles * gemm.tile.k + multiple;
  return gemm;
}

void expect_right_in_every_layout(GemmValues gemm, int k_tiles, int multiple) {
  gemm = sized(gemm, k_tiles, multiple);
  for (const Layout a : {Layout::kNormal, Layout::kTransposed})
    for (const Layout b : {Layout::kNormal, Layout::kTransposed}) {
      gemm.problem.layout_a = a;
      gemm.problem.layout_b = b;
      expect_reference_product(gemm);
    }
}

constexpr auto kFp16 = Element::kFp16;
constexpr auto kFp32 = Element::kFp32;

TEST(SplitK, GivesTheSumOfTheSlicesOnAmpere) {
  for (const int slices : {2, 3, 4}) {
    const GemmTile tile = split(kCopyingTile, slices);
    expect_right_in_every_layout(ampere(kFp16, kFp32, kFp16, tile), 6, 8);
    expect_right_in_every_layout(ampere(kFp16, kFp32, kFp32, tile), 9, 8);
  }
}

TEST(SplitK, CoversTheFormats) {
  const GemmTile tile = split(kCopyingTile, 3);
  expect_right_in_every_layout(ampere(kFp16, kFp16, kFp16, tile), 4, 8);
  expect_right_in_every_layout(ampere(Element::kBf16, kFp32, Element::kBf16, tile), 4, 8);
  expect_right_in_every_layout(ampere(kFp16, kFp32, kFp16, split(kStaged, 3)), 4, 2);
  GemmTile narrow = tile;
  narrow.k = 16;
  expect_reference_product(sized(ampere(Element::kTf32, kFp32, kFp32, narrow), 4, 4));
  narrow.k = 64;
  expect_reference_product(
      sized(ampere(Element::kInt8, Element::kInt32, Element::kInt32, narrow), 4, 16));
}

TEST(SplitK, GivesTheSumOfTheSlicesOnOtherGenerations) {
  expect_right_in_every_layout(volta(kFp32, split(kStaged, 2)), 4, 8);
  expect_right_in_every_layout(volta(kFp16, split(kStaged, 3)), 6, 8);
  expect_right_in_every_layout(turing(kFp32, split(kStaged, 4)), 7, 8);
  expect_right_in_every_layout(simt(kernels::testing::v100(), Generation::kVolta, split(kSimt, 3)),
                               7, 2);
  GemmTile copying = split(kSimt, 3);
  copying.stages = 5;
  expect_right_in_every_layout(simt(kernels::testing::a100(), Generation::kAmpere, copying), 7, 4);
}

TEST(SplitK, CoversBatchesOddSizesAndManySlices) {
  GemmValues gemm = sized(ampere(kFp16, kFp32, kFp16, split(kCopyingTile, 3)), 5, 8);
  gemm.problem.batch = 2;
  expect_reference_product(gemm);
  gemm.problem.m = 33;
  gemm.problem.n = 17;  // D's elements are odd: one each
  expect_reference_product(gemm);
  expect_reference_product(sized(ampere(kFp16, kFp32, kFp16, split(kCopyingTile, 20)), 39, 8));
}

TEST(SlicedK, GivesTheSumOfTheWarpGroups) {
  expect_right_in_every_layout(ampere(kFp16, kFp32, kFp16, sliced(kCopyingTile)), 3, 8);
  expect_right_in_every_layout(ampere(kFp16, kFp32, kFp32, sliced(kCopyingTile)), 3, 8);
  expect_right_in_every_layout(ampere(kFp16, kFp16, kFp16, sliced(kCopyingTile)), 3, 8);
  expect_right_in_every_layout(turing(kFp32, sliced(kStaged)), 3, 8);
  expect_right_in_every_layout(volta(kFp32, sliced(kStaged)), 3, 8);
  expect_right_in_every_layout(volta(kFp16, sliced(kStaged)), 3, 8);
}

TEST(SlicedK, AddsTheGroupsBeforeTheSlices) {
  expect_right_in_every_layout(ampere(kFp16, kFp32, kFp16, split(sliced(kCopyingTile), 3)), 7, 8);
}

TEST(SplitK, NeedsTheMemoryOfTheWholeStream) {
  const GemmValues gemm = sized(ampere(kFp16, kFp32, kFp16, split(kCopyingTile, 3)), 6, 8);
  const auto stream = kernels::make_gemm_stream(gemm.problem, gemm.tile, gemm.target);
  ASSERT_EQ(stream.size(), 2);
  GlobalMemory memory = random_operands(gemm, stream);
  ASSERT_TRUE(execute(stream, gemm.generation, memory).has_value());
  // Without the first launch the second adds what the workspace holds: ff, which are NaNs.
  GlobalMemory unwritten = random_operands(gemm, stream);
  ASSERT_TRUE(execute(stream.back(), gemm.generation, unwritten).has_value());
  EXPECT_NE(difference(gemm, unwritten, reference_product(gemm, unwritten)), "");
  GlobalMemory of_one_launch(stream.front());
  EXPECT_THAT(execute(stream, gemm.generation, of_one_launch).refusal().reason,
              ::testing::HasSubstr("memory was not made"));
}

TEST(SplitK, RefusesBuffersThatOverlapInAStream) {
  const GemmValues gemm = sized(ampere(kFp16, kFp32, kFp16, split(kCopyingTile, 3)), 6, 8);
  auto stream = kernels::make_gemm_stream(gemm.problem, gemm.tile, gemm.target);
  stream.back().buffers.back().base_address = stream.front().buffers.front().base_address;
  GlobalMemory memory(stream);
  EXPECT_THAT(execute(stream, gemm.generation, memory).refusal().reason,
              ::testing::HasSubstr("buffers A and D overlap"));
}

}  // namespace
}  // namespace tcsim::functional::testing
