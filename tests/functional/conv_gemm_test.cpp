#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/functional/conv_cases.hpp"
#include "tests/functional/conv_values.hpp"
#include "tests/support/targets.hpp"
#include "workloads/kernels/conv/implicit_method.hpp"

namespace tcsim::functional::testing {
namespace {

using kernels::ConvAlgorithm;
using kernels::ConvPass;
using kernels::ConvProblem;
using kernels::Element;
using kernels::GemmTile;
using numerics::Generation;

void expect_shapes(ConvValues conv) {
  for (const ConvPass pass :
       {ConvPass::kForward, ConvPass::kDataGradient, ConvPass::kWeightGradient})
    for (ConvProblem problem : conv_shapes()) {
      problem.pass = pass;
      conv.problem = problem;
      expect_convolution(conv);
    }
}

TEST(ImplicitGemm, GivesTheConvolutionOnAmpere) { expect_shapes(ampere({})); }
TEST(ImplicitGemm, GivesTheConvolutionOnVolta) { expect_shapes(volta({})); }
TEST(ImplicitGemm, GivesTheConvolutionOnTuring) { expect_shapes(turing({})); }

TEST(ImplicitGemm, GivesTheConvolutionWithAddressesComputedForEveryTap) {
  expect_shapes(ampere({}, kCopying, ConvAlgorithm::kImplicitGemmAnalytic));
}

TEST(ImplicitGemm, CoversTheFormats) {
  ConvProblem problem = kThree;
  problem.c = 64;
  problem.input = problem.output = Element::kBf16;
  expect_convolution(ampere(problem));
  problem.input = Element::kTf32;
  problem.output = Element::kFp32;
  GemmTile tile = kCopying;
  tile.k = 16;
  expect_convolution(ampere(problem, tile));
  for (const ConvPass pass : {ConvPass::kDataGradient, ConvPass::kWeightGradient}) {
    problem.pass = pass;
    expect_convolution(ampere(problem, tile));
  }
  problem.pass = ConvPass::kForward;
  problem.input = Element::kInt8;
  problem.accumulate = problem.output = Element::kInt32;
  tile.k = 64;
  expect_convolution(ampere(problem, tile));
  problem.c = 16;
  expect_convolution(ampere(problem, tile));
}

TEST(ImplicitGemm, MultipliesFp32OnCudaCores) {
  ConvProblem problem = kThree;
  problem.input = problem.output = Element::kFp32;
  problem.unit = kernels::Unit::kCudaCore;
  const GemmTile tile{.m = 64, .n = 64, .k = 8, .stages = 2, .warps_m = 2, .warps_n = 1};
  for (const ConvPass pass :
       {ConvPass::kForward, ConvPass::kDataGradient, ConvPass::kWeightGradient}) {
    problem.pass = pass;
    expect_convolution({kernels::testing::v100(),
                        Generation::kVolta,
                        problem,
                        {ConvAlgorithm::kImplicitGemm, tile}});
    expect_convolution(ampere(problem, tile));
  }
}

TEST(ImplicitGemm, HasNoKernelOfPackedElementsOnCudaCores) {
  ConvProblem bytes = kThree;
  bytes.input = Element::kInt8;
  bytes.accumulate = bytes.output = Element::kInt32;
  ConvProblem halves = kThree;
  halves.accumulate = halves.output = Element::kFp16;
  for (ConvProblem problem : {bytes, halves})
    for (const ConvPass pass :
         {ConvPass::kForward, ConvPass::kDataGradient, ConvPass::kWeightGradient}) {
      problem.pass = pass;
      problem.unit = kernels::Unit::kCudaCore;
      for (const kernels::Target& target : {kernels::testing::v100(), kernels::testing::a100()})
        EXPECT_NE(kernels::ImplicitMethod(problem, /*is_analytic=*/false, target,
                                          kernels::ImplicitGemm::Order::kNhwc)
                      .why_not(),
                  "");
    }
}

TEST(Im2colGemm, MultipliesPackedElementsOnCudaCores) {
  ConvProblem problem = kThree;
  problem.input = Element::kInt8;
  problem.accumulate = problem.output = Element::kInt32;
  problem.unit = kernels::Unit::kCudaCore;
  const GemmTile tile{.m = 64, .n = 64, .k = 8, .stages = 2, .warps_m = 2, .warps_n = 1};
  expect_convolution(
      {kernels::testing::v100(), Generation::kVolta, problem, {ConvAlgorithm::kIm2colGemm, tile}});
}

TEST(Im2colGemm, RefusesImagesOfMorePatchesThanADivisorHolds) {
  ConvProblem problem{.n = 1, .h = 263, .w = 263, .c = 8192, .k = 64, .r = 8, .s = 8};
  const auto reason = [&] {
    return why_no_conv_kernel(problem, ConvAlgorithm::kIm2colGemm, kernels::testing::a100());
  };
  EXPECT_EQ(reason(), "the patches of an image have 2^32 vectors or more");
  problem.c -= 8;
  EXPECT_EQ(reason(), "");
}

TEST(ImplicitGemm, SplitsKInEveryPass) {
  for (const ConvPass pass :
       {ConvPass::kForward, ConvPass::kDataGradient, ConvPass::kWeightGradient})
    for (ConvProblem problem : {kThree, conv_shapes()[4]}) {
      problem.pass = pass;
      GemmTile tile = kCopying;
      tile.split_k = 2;
      expect_convolution(ampere(problem, tile));
    }
}

TEST(ImplicitGemm, GivesEachTapKTilesOfItsOwnOnVolta) {
  ConvProblem few{.n = 4, .h = 64, .w = 64, .c = 8, .k = 64, .r = 3, .s = 3};
  ConvProblem many = few;
  many.c = 32;
  const auto ratio = [&](const kernels::Target& target, const GemmTile& tile) {
    const auto cycles = [&](const ConvProblem& problem) {
      const kernels::ImplicitMethod method(problem, /*is_analytic=*/false, target,
                                           kernels::ImplicitGemm::Order::kNhwc);
      return method.estimate(tile);
    };
    return cycles(few) / cycles(many);
  };
  EXPECT_GT(ratio(kernels::testing::v100(), {64, 64, 32, 2, 2, 2}), 0.9);
  EXPECT_LT(ratio(kernels::testing::a100(), {64, 64, 32, 6, 2, 2}), 0.8);
}

TEST(Im2colGemm, GivesTheConvolution) {
  for (ConvProblem problem : conv_shapes()) {
    ConvValues conv = ampere(problem, kCopying, ConvAlgorithm::kIm2colGemm);
    expect_convolution(conv);
    conv.plan.tile.split_k = 2;
    if (problem.r > 1) expect_convolution(conv);
  }
  ConvValues conv = volta(kThree);
  conv.plan.algorithm = ConvAlgorithm::kIm2colGemm;
  expect_convolution(conv);
}

TEST(ImplicitGemm, DilatesFilters) {
  ConvProblem problem{.n = 2, .h = 9, .w = 10, .c = 24, .k = 40, .r = 3, .s = 3, .pad_h = 2};
  problem.dil_h = 2;
  problem.dil_w = 3;
  for (const ConvPass pass :
       {ConvPass::kForward, ConvPass::kDataGradient, ConvPass::kWeightGradient}) {
    problem.pass = pass;
    expect_convolution(ampere(problem));
    expect_convolution(ampere(problem, kCopying, ConvAlgorithm::kImplicitGemmAnalytic));
    expect_convolution(volta(problem));
    if (pass != ConvPass::kDataGradient) expect_convolution(ampere(strided(problem, 2)));
  }
  problem.pass = ConvPass::kForward;
  expect_convolution(ampere(problem, kCopying, ConvAlgorithm::kIm2colGemm));
  expect_convolution(ampere(problem, {}, ConvAlgorithm::kDirect));
}

TEST(ImplicitGemm, RefusesDilationWhereTapsOfAResidueDoNotFollowEachOther) {
  ConvProblem problem = strided(kThree, 2);
  problem.dil_h = 2;
  problem.pass = ConvPass::kDataGradient;
  EXPECT_EQ(why_no_conv_kernel(problem, ConvAlgorithm::kImplicitGemm, kernels::testing::a100()),
            "no data gradient with a stride and dilated filters");
  problem.pass = ConvPass::kForward;
  for (const ConvAlgorithm other : {ConvAlgorithm::kWinograd2x2, ConvAlgorithm::kWinograd2x2Fused,
                                    ConvAlgorithm::kFft, ConvAlgorithm::kDepthwise})
    EXPECT_NE(why_no_conv_kernel(problem, other, kernels::testing::a100()), "");
}

/// Data gradients whose pixels meet as many taps, more and fewer, one or none.
std::vector<ConvProblem> strided_gradients() {
  std::vector<ConvProblem> problems;
  for (const auto& [r, s, stride_h, stride_w, pad_h, pad_w] :
       {std::array{3, 3, 2, 2, 1, 1}, std::array{5, 4, 3, 2, 2, 0}, std::array{1, 1, 2, 2, 0, 0},
        std::array{1, 4, 1, 3, 0, 2}, std::array{2, 5, 3, 4, 1, 1}, std::array{2, 4, 2, 2, 0, 1}}) {
    ConvProblem problem{.n = 2, .h = 11, .w = 13, .c = 24, .k = 72, .r = r, .s = s};
    problem.stride_h = stride_h;
    problem.stride_w = stride_w;
    problem.pad_h = pad_h;
    problem.pad_w = pad_w;
    problem.pass = ConvPass::kDataGradient;
    problems.push_back(problem);
  }
  return problems;
}

TEST(ImplicitGemm, MeetsOtherTapsInEveryClassOfPixels) {
  for (ConvProblem problem : strided_gradients())
    for (const std::int64_t channels : {std::int64_t{72}, std::int64_t{8}}) {
      problem.k = channels;
      expect_convolution(ampere(problem));
      expect_convolution(volta(problem));
    }
}

TEST(ImplicitGemm, WalksOverTheTapsThatAClassOfPixelsMeets) {
  constexpr std::int64_t kKTilesOfTap = 3;  // of 72 channels
  for (const ConvProblem& problem : strided_gradients()) {
    const ConvValues conv = ampere(problem);
    const isa::KernelLaunch launch =
        kernels::make_conv_stream(problem, conv.plan, conv.target).front();
    const isa::Expression& trips = launch.programs.front().loops.front().trips;
    std::int64_t k_tiles = 0;
    for (std::int64_t z = 0; z < launch.grid[2]; ++z) {
      isa::Bindings bindings{};
      bindings[static_cast<std::size_t>(isa::Variable::kCtaZ)] = z;
      k_tiles += isa::evaluate(trips, bindings);
    }
    EXPECT_EQ(k_tiles, problem.r * problem.s * kKTilesOfTap);
  }
}

TEST(ImplicitGemm, RefusesMoreResiduesThanAGridHas) {
  ConvProblem problem{.n = 1, .h = 600, .w = 600, .c = 8, .k = 8, .r = 3, .s = 3};
  problem.pass = ConvPass::kDataGradient;
  problem.stride_h = 300;
  problem.stride_w = 200;
  const auto reason = [&] {
    return why_no_conv_kernel(problem, ConvAlgorithm::kImplicitGemm, kernels::testing::a100());
  };
  EXPECT_EQ(reason(), "");
  problem.stride_w = 300;
  EXPECT_EQ(reason(), "the strides' classes of pixels exceed the 65535 CTAs of a grid's z");
}

TEST(ImplicitGemm, KeepsGroupsApart) {
  for (const ConvPass pass :
       {ConvPass::kForward, ConvPass::kDataGradient, ConvPass::kWeightGradient}) {
    ConvProblem problem = kThree;
    problem.groups = 2;
    problem.c = 64;
    problem.k = 80;
    problem.pass = pass;
    expect_convolution(ampere(problem));
    expect_convolution(volta(problem));
  }
}

}  // namespace
}  // namespace tcsim::functional::testing
