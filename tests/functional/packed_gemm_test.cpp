#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "sim/values/element.hpp"
#include "sim/values/gemm_operation.hpp"
#include "sim/values/tensor_values.hpp"
#include "tests/functional/gemm_values.hpp"
#include "tests/support/targets.hpp"

namespace tcsim::functional::testing {
namespace {

using kernels::Element;
using kernels::GemmProblem;
using kernels::Target;

GemmProblem bytes() {
  return {.m = 70,
          .n = 36,
          .k = 92,
          .input = Element::kInt8,
          .accumulate = Element::kInt32,
          .output = Element::kInt32,
          .unit = kernels::Unit::kCudaCore};
}

GemmProblem halves() {
  return {.m = 70,
          .n = 36,
          .k = 90,
          .accumulate = Element::kFp16,
          .output = Element::kFp16,
          .unit = kernels::Unit::kCudaCore};
}

values::TensorResult result_of(const GemmProblem& problem, const kernels::GemmTile& tile,
                               const Target& target) {
  SCOPED_TRACE(target.architecture + " " + tile.text());
  const auto stream = kernels::make_gemm_stream(problem, tile, target);
  const auto values =
      values::execute_operation(values::gemm_operation(problem), values::Distribution::kUniform,
                                /*seed=*/3, *numerics::arithmetic_of(target.architecture), stream);
  EXPECT_TRUE(values.has_value());
  EXPECT_EQ(values.value().racing_bytes, 0);
  EXPECT_EQ(values.value().results.front().outside, 0);
  return values.value().results.front();
}

std::int64_t instructions(const isa::KernelLaunch& launch, isa::Opcode opcode) {
  return std::ranges::count(launch.programs.front().instructions, opcode,
                            &isa::Instruction::opcode);
}

TEST(PackedGemm, OfBytesIsExactWithDp4a) {
  for (const Target& target :
       {kernels::testing::v100(), kernels::testing::t4(), kernels::testing::a100()})
    EXPECT_EQ(result_of(bytes(), kernels::choose_tile(bytes(), target), target).arithmetic.wrong,
              0);
}

TEST(PackedGemm, OfBytesIsTheReferenceProductInEveryOutput) {
  using numerics::Generation;
  GemmProblem problem = bytes();
  for (const Element output : {Element::kInt32, Element::kInt8, Element::kFp32, Element::kFp16}) {
    problem.output = output;
    for (const auto& [target, generation] :
         {std::pair(kernels::testing::v100(), Generation::kVolta),
          std::pair(kernels::testing::a100(), Generation::kAmpere)}) {
      kernels::GemmTile tile = kernels::choose_tile(problem, target);
      expect_reference_product({target, generation, problem, tile});
      tile.split_k = 2;
      expect_reference_product({target, generation, problem, tile});
    }
  }
}

TEST(PackedGemm, OfBytesAcrossKTurnsThemOnTheirWay) {
  using kernels::Layout;
  GemmProblem problem = bytes();
  problem.m = 68;
  for (const Target& target :
       {kernels::testing::v100(), kernels::testing::t4(), kernels::testing::a100()})
    for (const auto& [a, b] : {std::pair(Layout::kTransposed, Layout::kTransposed),
                               std::pair(Layout::kNormal, Layout::kNormal),
                               std::pair(Layout::kTransposed, Layout::kNormal)}) {
      problem.layout_a = a;
      problem.layout_b = b;
      EXPECT_EQ(result_of(problem, kernels::choose_tile(problem, target), target).arithmetic.wrong,
                0);
    }
  problem.m = 70;
  EXPECT_NE(kernels::why_no_kernel(problem, kernels::testing::t4()), "");
}

TEST(PackedGemm, OfHalvesKeepsTwoSumsWithHfma2) {
  for (const Target& target : {kernels::testing::v100(), kernels::testing::a100()})
    EXPECT_LT(result_of(halves(), kernels::choose_tile(halves(), target), target)
                  .arithmetic.norm_relative,
              4e-3);
  const Target target = kernels::testing::a100();
  kernels::GemmTile tile = kernels::choose_tile(halves(), target);
  expect_reference_product({target, numerics::Generation::kAmpere, halves(), tile});
  tile.split_k = 2;
  expect_reference_product({target, numerics::Generation::kAmpere, halves(), tile});
}

TEST(PackedGemm, SplitsK) {
  const Target target = kernels::testing::a100();
  kernels::GemmTile tile = kernels::choose_tile(bytes(), target);
  tile.split_k = 2;
  EXPECT_EQ(result_of(bytes(), tile, target).arithmetic.wrong, 0);
  result_of(halves(), tile, target);
}

TEST(PackedGemm, MultipliesWordsWhereFp32HasElements) {
  // A thread has 64 outputs and a k-tile eight words: of four bytes, two halves or one number.
  const Target target = kernels::testing::a100();
  const kernels::GemmTile tile{.m = 64, .n = 64, .k = 8, .stages = 5, .warps_m = 2, .warps_n = 1};
  for (const auto& [problem, opcode, k] : {std::tuple(bytes(), isa::Opcode::kDp4a, 92),
                                           std::tuple(halves(), isa::Opcode::kHfma2, 90)}) {
    const isa::KernelLaunch launch = kernels::make_gemm(problem, tile, target);
    EXPECT_EQ(instructions(launch, opcode), 64 * 8);
    const std::int64_t words = k * kernels::element_bytes(problem.input) / 4;
    EXPECT_EQ(launch.programs.front().loops.front().trips.constant, (words + 7) / 8);
  }
}

TEST(PackedGemm, RefusesWhatItCannotPack) {
  const Target target = kernels::testing::a100();
  GemmProblem problem = bytes();
  problem.k = 90;
  EXPECT_NE(kernels::why_no_kernel(problem, target), "");
  problem = halves();
  problem.layout_b = kernels::Layout::kNormal;
  EXPECT_NE(kernels::why_no_kernel(problem, target), "");
}

}  // namespace
}  // namespace tcsim::functional::testing
