#include <gtest/gtest.h>

#include <vector>

#include "tests/functional/conv_cases.hpp"
#include "tests/functional/conv_values.hpp"
#include "tests/support/targets.hpp"
#include "workloads/kernels/conv/implicit_method.hpp"
#include "workloads/kernels/conv/nchw_method.hpp"

namespace tcsim::functional::testing {
namespace {

using kernels::ConvAlgorithm;
using kernels::ConvPass;
using kernels::ConvProblem;
using kernels::Element;
using kernels::GemmTile;
using numerics::Generation;

/// The product between layout changes, with the plan's tile.
void expect_between_layout_changes(ConvValues conv) {
  conv.problem.order = kernels::TensorOrder::kNchw;
  const kernels::NchwMethod method(conv.problem, conv.plan.algorithm, conv.target);
  ASSERT_EQ(method.why_not(), "");
  conv.stream = method.stream(conv.plan.tile);
  expect_convolution(conv);
}

/// Pixels of x that rows of the product read side by side, one by one, and with images that end
/// inside a vector.
std::vector<ConvProblem> plane_shapes() {
  ConvProblem strided_points = strided({.n = 2, .h = 9, .w = 7, .c = 40, .k = 24}, 2);
  strided_points.pad_h = 1;
  return {{.n = 2, .h = 8, .w = 8, .c = 32, .k = 72},
          {.n = 3, .h = 7, .w = 7, .c = 64, .k = 64},
          strided_points,
          kThree,
          {.n = 2, .h = 13, .w = 9, .c = 3, .k = 64, .r = 3, .s = 3, .pad_h = 1, .pad_w = 1}};
}

TEST(Nchw, SplitsKOfAProductThatWritesPlanes) {
  ConvProblem problem = kThree;
  GemmTile tile = kCopying;
  tile.split_k = 2;
  expect_between_layout_changes(ampere(problem, tile));
  problem.h = problem.w = 8;
  expect_between_layout_changes(ampere(problem, tile));
}

TEST(Nchw, WritesPlanesOfGroups) {
  ConvProblem problem = kThree;
  problem.groups = 2;
  problem.c = 32;
  expect_between_layout_changes(ampere(problem));
}

TEST(Nchw, GathersFromPlanes) {
  for (const kernels::Target& target : {kernels::testing::v100(), kernels::testing::a100()})
    for (ConvProblem problem : plane_shapes()) {
      problem.order = kernels::TensorOrder::kNchw;
      const kernels::ImplicitMethod method(problem, /*is_analytic=*/false, target,
                                           kernels::ImplicitGemm::Order::kNchw);
      ASSERT_EQ(method.why_not(), "");
      const bool is_volta = target.architecture == "volta";
      ConvValues conv{target, is_volta ? Generation::kVolta : Generation::kAmpere, problem, {}};
      conv.stream = method.stream(method.choose());
      ASSERT_EQ(conv.stream.front().buffers.size(), 3U);
      expect_convolution(conv);
    }
}

TEST(Nchw, GathersGradientsFromPlanes) {
  std::vector<ConvProblem> shapes = plane_shapes();
  shapes.pop_back();  // three channels
  shapes.push_back(strided({.n = 2, .h = 8, .w = 12, .c = 40, .k = 24}, 2));
  shapes.push_back(
      {.n = 2, .h = 8, .w = 8, .c = 32, .k = 64, .r = 3, .s = 3, .pad_h = 2, .pad_w = 2});
  shapes.back().dil_h = shapes.back().dil_w = 2;
  int data_gradients = 0;
  for (const kernels::Target& target : {kernels::testing::v100(), kernels::testing::a100()})
    for (const ConvPass pass : {ConvPass::kDataGradient, ConvPass::kWeightGradient})
      for (ConvProblem problem : shapes) {
        problem.order = kernels::TensorOrder::kNchw;
        problem.pass = pass;
        const kernels::ImplicitMethod method(problem, /*is_analytic=*/false, target,
                                             kernels::ImplicitGemm::Order::kNchw);
        if (!method.why_not().empty()) {
          EXPECT_EQ(method.why_not(), "no data gradient in NCHW with a stride and several taps");
          continue;
        }
        data_gradients += pass == ConvPass::kDataGradient ? 1 : 0;
        const bool is_volta = target.architecture == "volta";
        ConvValues conv{target, is_volta ? Generation::kVolta : Generation::kAmpere, problem, {}};
        conv.stream = method.stream(method.choose());
        expect_convolution(conv);
      }
  EXPECT_EQ(data_gradients, 2 * 5);
}

TEST(Nchw, RefusesFp64) {
  ConvProblem problem = kThree;
  problem.input = problem.accumulate = problem.output = Element::kFp64;
  const auto reason = [&] {
    return why_no_conv_kernel(problem, ConvAlgorithm::kIm2colGemm, kernels::testing::a100());
  };
  EXPECT_EQ(reason(), "");
  problem.order = kernels::TensorOrder::kNchw;
  EXPECT_EQ(reason(), "FP64 tensors must be in NHWC");
}

TEST(Nchw, RefusesMorePaddedFiltersThanAGridHas) {
  ConvProblem problem{.n = 1, .h = 4, .w = 4, .c = 8, .k = 65'535, .r = 3, .s = 3};
  problem.order = kernels::TensorOrder::kNchw;
  problem.pass = kernels::ConvPass::kDataGradient;
  const auto reason = [&] {
    return why_no_conv_kernel(problem, ConvAlgorithm::kImplicitGemm, kernels::testing::a100());
  };
  EXPECT_EQ(reason(), "the layout change of w exceeds the 65535 CTAs of a grid's z");
  problem.k = 65'528;
  EXPECT_EQ(reason(), "");
}

TEST(Nchw, TakesTheCheaperWay) {
  ConvProblem points{.n = 8, .h = 56, .w = 56, .c = 64, .k = 256};
  points.order = kernels::TensorOrder::kNchw;
  const auto kernels_of = [&](const ConvProblem& problem) {
    const kernels::Target target = kernels::testing::v100();
    return make_conv_stream(problem,
                            choose_conv_tile(problem, ConvAlgorithm::kImplicitGemm, target), target)
        .size();
  };
  EXPECT_EQ(kernels_of(points), 1U);
  // 25 taps of every pixel one by one cost more than two layout changes.
  ConvProblem taps{.n = 16, .h = 28, .w = 28, .c = 192, .k = 32, .r = 5, .s = 5, .pad_h = 2};
  taps.pad_w = 2;
  taps.order = kernels::TensorOrder::kNchw;
  EXPECT_GE(kernels_of(taps), 3U);
  points.c = 60;  // channels are padded
  EXPECT_GE(kernels_of(points), 2U);
}

TEST(Nchw, PrefersNoLargeTileInSlices) {
  // 43 us measured on V100: 41 with 128x64, 56 with 128x256 in two slices.
  ConvProblem points{.n = 8, .h = 14, .w = 14, .c = 1024, .k = 2048, .stride_h = 2, .stride_w = 2};
  points.order = kernels::TensorOrder::kNchw;
  const kernels::Target target = kernels::testing::v100();
  EXPECT_EQ(choose_conv_tile(points, ConvAlgorithm::kImplicitGemm, target).tile.split_k, 1);
}

TEST(Nchw, PrefersTilesThatTheLibraryHas) {
  // 71 us measured on V100: 66 with 64x128, 87 with 64x256.
  ConvProblem points{.n = 16, .h = 112, .w = 112, .c = 64, .k = 64};
  points.order = kernels::TensorOrder::kNchw;
  const kernels::Target target = kernels::testing::v100();
  const auto chosen = choose_conv_tile(points, ConvAlgorithm::kImplicitGemm, target).tile;
  EXPECT_EQ(chosen.m * chosen.n, 64 * 128) << chosen.text();
}

TEST(Nchw, ChangesTheLayoutAroundTheProduct) {
  for (const ConvPass pass :
       {ConvPass::kForward, ConvPass::kDataGradient, ConvPass::kWeightGradient}) {
    ConvProblem problem = kThree;
    problem.pass = pass;
    expect_between_layout_changes(ampere(problem));
    problem.c = 3;  // padded with zeros
    problem.k = 70;
    expect_between_layout_changes(ampere(problem));
    expect_between_layout_changes(volta(problem));
  }
  // Even numbers of pixels and taps are turned in pairs.
  for (const ConvPass pass :
       {ConvPass::kForward, ConvPass::kDataGradient, ConvPass::kWeightGradient})
    expect_between_layout_changes(
        ampere({.n = 2, .h = 10, .w = 7, .c = 35, .k = 70, .r = 2, .s = 2, .pass = pass}));
  // Filters of one tap stay as they are; images of 64 pixels are turned in tiles.
  expect_between_layout_changes(ampere({.n = 2, .h = 8, .w = 8, .c = 40, .k = 72}));
  ConvProblem single = kThree;
  single.input = Element::kTf32;
  single.output = Element::kFp32;
  GemmTile tile = kCopying;
  tile.k = 16;
  expect_between_layout_changes(ampere(single, tile));
  expect_between_layout_changes(ampere(single, tile, ConvAlgorithm::kIm2colGemm));
}

}  // namespace
}  // namespace tcsim::functional::testing
