#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "tests/functional/conv_values.hpp"
#include "tests/kernels/gemm_check.hpp"
#include "workloads/kernels/conv/depthwise_kernel.hpp"
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

constexpr GemmTile kCopying{.m = 64, .n = 64, .k = 32, .stages = 4, .warps_m = 2, .warps_n = 2};
constexpr GemmTile kStaged{.m = 64, .n = 64, .k = 32, .stages = 2, .warps_m = 2, .warps_n = 2};

ConvValues ampere(const ConvProblem& problem, GemmTile tile = kCopying,
                  ConvAlgorithm algorithm = ConvAlgorithm::kImplicitGemm) {
  return {kernels::testing::a100(), Generation::kAmpere, problem, {algorithm, tile}};
}
ConvValues volta(const ConvProblem& problem) {
  return {kernels::testing::v100(),
          Generation::kVolta,
          problem,
          {ConvAlgorithm::kImplicitGemm, kStaged}};
}
ConvValues turing(const ConvProblem& problem) {
  return {kernels::testing::t4(),
          Generation::kTuring,
          problem,
          {ConvAlgorithm::kImplicitGemm, kStaged}};
}

/// Sizes that end in the middle of tiles of pixels, filters and channels.
constexpr ConvProblem kThree{
    .n = 2, .h = 7, .w = 9, .c = 40, .k = 72, .r = 3, .s = 3, .pad_h = 1, .pad_w = 1};

ConvProblem strided(ConvProblem problem, int stride) {
  problem.stride_h = stride;
  problem.stride_w = stride;
  return problem;
}

/// The shapes that take different paths through the generators.
std::vector<ConvProblem> shapes() {
  ConvProblem oblong{.n = 1, .h = 11, .w = 8, .c = 32, .k = 64, .r = 5, .s = 2, .pad_h = 2};
  oblong.stride_h = 3;
  oblong.stride_w = 2;
  return {kThree,
          strided(kThree, 2),
          {.n = 3, .h = 5, .w = 5, .c = 64, .k = 64},
          strided({.n = 2, .h = 6, .w = 7, .c = 64, .k = 32}, 2),
          {.n = 1, .h = 9, .w = 9, .c = 8, .k = 32, .r = 3, .s = 3, .pad_h = 1, .pad_w = 1},
          {.n = 1, .h = 12, .w = 12, .c = 24, .k = 16, .r = 4, .s = 4},
          oblong};
}

/// Multiply-adds on tensor cores of all warps.
std::int64_t matrix_macs(const isa::KernelLaunch& launch) {
  const isa::WarpProgram& program = launch.programs.front();
  std::int64_t macs = 0;
  for (int i = 0; i < static_cast<int>(program.instructions.size()); ++i) {
    const isa::Instruction& instruction = program.instructions[static_cast<std::size_t>(i)];
    if (!isa::is_mma(instruction.opcode)) continue;
    std::int64_t times = launch.cta_count() * launch.warps_per_cta;
    for (const isa::Loop& loop : program.loops)
      if (loop.first <= i && i <= loop.last) times *= loop.trips.constant;
    macs += times * isa::warp_macs(instruction.opcode);
  }
  return macs;
}

void expect_shapes(ConvValues conv) {
  for (const ConvPass pass :
       {ConvPass::kForward, ConvPass::kDataGradient, ConvPass::kWeightGradient})
    for (ConvProblem problem : shapes()) {
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

TEST(ImplicitGemm, SplitsKInEveryPass) {
  for (const ConvPass pass :
       {ConvPass::kForward, ConvPass::kDataGradient, ConvPass::kWeightGradient})
    for (ConvProblem problem : {kThree, shapes()[4]}) {
      problem.pass = pass;
      GemmTile tile = kCopying;
      tile.split_k = 2;
      expect_convolution(ampere(problem, tile));
    }
}

TEST(Winograd, IsExactFused) {
  for (ConvProblem problem : {kThree, shapes()[4]}) {
    problem.input = problem.output = Element::kFp32;
    problem.unit = kernels::Unit::kCudaCore;
    expect_convolution(ampere(problem, {}, ConvAlgorithm::kWinograd2x2Fused));
    ConvValues old = volta(problem);
    old.plan = {ConvAlgorithm::kWinograd2x2Fused, {}};
    expect_convolution(old);
  }
}

TEST(Winograd, TakesHalvesFusedAndKeepsThemInSinglePrecision) {
  expect_convolution(ampere(kThree, {}, ConvAlgorithm::kWinograd2x2Fused));
  ConvValues old = volta(shapes()[4]);
  old.plan = {ConvAlgorithm::kWinograd2x2Fused, {}};
  expect_convolution(old);
}

TEST(Fft, GivesTheConvolution) {
  for (ConvProblem problem : {kThree, shapes()[4], shapes()[5]}) {
    problem.h += 9;  // more than one tile
    problem.c = 10;
    problem.k = 34;
    problem.stride_h = problem.stride_w = 1;
    problem.input = problem.output = Element::kFp32;
    problem.unit = kernels::Unit::kCudaCore;
    const GemmTile tile{.m = 64, .n = 64, .k = 8, .stages = 2, .warps_m = 2, .warps_n = 1};
    ConvValues conv = ampere(problem, tile, ConvAlgorithm::kFft);
    conv.tolerance = 1e-5;
    expect_convolution(conv);
  }
}

TEST(Fft, TransformsHalvesInSinglePrecision) {
  ConvProblem problem = kThree;
  problem.n = 1;
  problem.c = 10;
  problem.k = 6;
  const GemmTile tile{.m = 64, .n = 64, .k = 8, .stages = 2, .warps_m = 2, .warps_n = 1};
  // Transforms in FP16 would be off by a share of 0.001 and more; sums here are whole numbers.
  for (ConvValues conv : {ampere(problem, tile, ConvAlgorithm::kFft), volta(problem)}) {
    conv.plan = {ConvAlgorithm::kFft, tile};
    conv.tolerance = 1e-5;
    expect_convolution(conv);
  }
}

TEST(Fft, IsRefusedWhereItHasNoKernels) {
  ConvProblem problem = kThree;
  const auto reason = [&] {
    return why_no_conv_kernel(problem, ConvAlgorithm::kFft, kernels::testing::a100());
  };
  EXPECT_EQ(reason(), "");
  problem.input = problem.output = Element::kBf16;
  EXPECT_EQ(reason(), "FFT kernels are generated for fp32 and fp16 tensors and sums in fp32");
  problem.r = 9;
  problem.h = 20;
  EXPECT_EQ(reason(), "FFT tiles of 16 x 16 pixels take filters of up to 8 x 8");
}

/// The product between layout changes, with the plan's tile.
void expect_between_layout_changes(ConvValues conv) {
  conv.problem.order = kernels::TensorOrder::kNchw;
  const kernels::NchwMethod method(conv.problem, conv.plan.algorithm, conv.target);
  ASSERT_EQ(method.why_not(), "");
  conv.stream = method.stream(conv.plan.tile);
  expect_convolution(conv);
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

constexpr ConvProblem kOdd{
    .n = 2, .h = 7, .w = 9, .c = 24, .k = 40, .r = 3, .s = 3, .pad_h = 1, .pad_w = 0};

TEST(Winograd, IsExactForSmallNumbersWithTilesOfTwo) {
  ConvValues conv = ampere(kOdd, kCopying, ConvAlgorithm::kWinograd2x2);
  expect_convolution(conv);
  conv.problem.input = conv.problem.output = Element::kBf16;
  conv.problem.c = 8;  // transformed inputs and filters have few bits enough for BF16
  expect_convolution(conv);
  conv = volta(kOdd);
  conv.plan.algorithm = ConvAlgorithm::kWinograd2x2;
  expect_convolution(conv);
  conv = ampere(kOdd, {.m = 64, .n = 64, .k = 8, .stages = 2, .warps_m = 2, .warps_n = 1},
                ConvAlgorithm::kWinograd2x2);
  conv.problem.input = conv.problem.output = Element::kFp32;
  conv.problem.unit = kernels::Unit::kCudaCore;
  expect_convolution(conv);
}

TEST(Winograd, OfTilesOfFourRoundsTransformedFiltersAndInputs) {
  // Operands of 11 bits, of which the output transform multiplies errors by up to 8 x 8; FP32 keeps
  // 13 bits more.
  ConvValues conv = ampere(kOdd, kCopying, ConvAlgorithm::kWinograd4x4);
  conv.tolerance = 0.02;
  expect_convolution(conv);
  conv.plan.tile = {.m = 64, .n = 64, .k = 8, .stages = 2, .warps_m = 2, .warps_n = 1};
  conv.problem.input = conv.problem.output = Element::kFp32;
  conv.problem.unit = kernels::Unit::kCudaCore;
  conv.tolerance = 1e-5;
  expect_convolution(conv);
}

TEST(Winograd, MultipliesLessThanTheDefinition) {
  const kernels::Target target = kernels::testing::a100();
  const ConvProblem problem{
      .n = 8, .h = 64, .w = 64, .c = 64, .k = 64, .r = 3, .s = 3, .pad_h = 1, .pad_w = 1};
  for (const auto& [algorithm, saved] : {std::pair(ConvAlgorithm::kWinograd2x2, 2.25),
                                         std::pair(ConvAlgorithm::kWinograd4x4, 4.0)}) {
    const auto plan = kernels::choose_conv_tile(problem, algorithm, target);
    std::int64_t macs = 0;
    for (const auto& launch : kernels::make_conv_stream(problem, plan, target))
      macs += matrix_macs(launch);
    EXPECT_NEAR(static_cast<double>(problem.macs()) / static_cast<double>(macs), saved,
                0.01 * saved);
  }
}

/// Every combination of what may follow the sums.
std::vector<kernels::ConvPost> posts(bool is_fused) {
  std::vector<kernels::ConvPost> all;
  for (const bool scale : {false, true})
    for (const bool bias : {false, true})
      for (const bool residual : {false, true})
        for (const bool relu : {false, true})
          for (const bool pool : {false, true})
            if (scale || bias || residual || relu || pool)
              all.push_back({scale, bias, residual, relu, pool, is_fused});
  return all;
}

TEST(Post, IsTheSameFusedAndInKernelsOfItsOwn) {
  for (const bool is_fused : {true, false})
    for (const kernels::ConvPost& post : posts(is_fused)) {
      ConvProblem problem = kOdd;
      problem.post = post;
      expect_convolution(ampere(problem));
    }
}

TEST(Post, CoversGenerationsFormatsAndAlgorithms) {
  ConvProblem problem = kOdd;
  problem.post = {.scale = true, .bias = true, .residual = true, .relu = true, .pool = true};
  expect_convolution(volta(problem));
  expect_convolution(turing(problem));
  problem.groups = 2;
  expect_convolution(ampere(problem));
  problem.groups = 1;
  problem.k = 39;  // one element of D at a time
  problem.post.pool = false;
  expect_convolution(ampere(problem));
  problem.k = 40;
  problem.input = problem.output = Element::kFp32;
  problem.unit = kernels::Unit::kCudaCore;
  expect_convolution(
      ampere(problem, {.m = 64, .n = 64, .k = 8, .stages = 2, .warps_m = 2, .warps_n = 1}));
  problem = kOdd;
  problem.post = {.bias = true, .residual = true, .relu = true, .is_fused = false};
  expect_convolution(ampere(problem, kCopying, ConvAlgorithm::kWinograd2x2));
  expect_convolution(ampere(problem, kCopying, ConvAlgorithm::kIm2colGemm));
}

TEST(Post, FollowsSumsInInt32AndFp16) {
  GemmTile deep = kCopying;
  deep.k = 64;
  for (const bool is_fused : {true, false}) {
    ConvProblem problem = kOdd;
    problem.c = 64;
    problem.post = {
        .scale = true, .bias = true, .residual = true, .relu = true, .is_fused = is_fused};
    problem.accumulate = Element::kFp16;
    expect_convolution(ampere(problem));
    problem.input = Element::kInt8;
    problem.accumulate = Element::kInt32;
    expect_convolution(ampere(problem, deep));
  }
}

TEST(Post, IsFusedIntoImplicitGemmOnly) {
  const kernels::Target target = kernels::testing::a100();
  ConvProblem problem = kOdd;
  problem.post = {.bias = true, .relu = true};
  EXPECT_EQ(kernels::choose_conv(problem, target)->algorithm, ConvAlgorithm::kImplicitGemm);
  EXPECT_NE(kernels::why_no_conv_kernel(problem, ConvAlgorithm::kIm2colGemm, target), "");
}

TEST(Post, SavesOnePassOverTheResultWhenFused) {
  const kernels::Target target = kernels::testing::a100();
  ConvProblem problem = kOdd;
  problem.post = {.bias = true, .relu = true};
  const auto fused = kernels::choose_conv_tile(problem, ConvAlgorithm::kImplicitGemm, target);
  EXPECT_EQ(kernels::make_conv_stream(problem, fused, target).size(), 1U);
  problem.post.is_fused = false;
  EXPECT_EQ(kernels::make_conv_stream(problem, fused, target).size(), 2U);
}

TEST(Depthwise, GivesTheConvolution) {
  ConvProblem problem = strided(kOdd, 2);
  problem.k = problem.groups = problem.c;
  ConvValues conv = ampere(problem, {}, ConvAlgorithm::kDepthwise);
  expect_convolution(conv);
  conv.problem.input = conv.problem.output = Element::kBf16;
  expect_convolution(conv);
  conv.problem.r = conv.problem.s = 5;  // more taps than loads at once
  conv.problem.pad_h = conv.problem.pad_w = 2;
  conv.problem.input = conv.problem.output = Element::kFp32;
  expect_convolution(conv);
  conv = volta(problem);
  conv.plan = {ConvAlgorithm::kDepthwise, {}};
  expect_convolution(conv);
}

/// Every shape of the kernel: vectors of two and four channels, one to four pixels of a thread,
/// filters through shared memory or not.
TEST(Depthwise, GivesTheConvolutionInEveryShape) {
  std::set<std::tuple<int, int, bool>> shapes;
  kernels::Target target = kernels::testing::a100();
  const auto expect = [&](std::int64_t channels, std::int64_t side, std::int64_t window,
                          std::int64_t stride) {
    const ConvProblem problem = strided({.n = 2,
                                         .h = side,
                                         .w = side,
                                         .c = channels,
                                         .k = channels,
                                         .r = window,
                                         .s = window,
                                         .pad_h = window / 2,
                                         .pad_w = window / 2,
                                         .groups = channels},
                                        static_cast<int>(stride));
    for (const int sms : {1, 108}) {
      target.sms = sms;
      ConvValues conv = ampere(problem, {}, ConvAlgorithm::kDepthwise);
      conv.target = target;
      const auto shape = kernels::depthwise_shape(problem, target);
      shapes.insert({shape.vector, shape.outputs, shape.staged});
      expect_convolution(conv);
    }
  };
  for (const std::int64_t stride : {1, 2})
    for (const std::int64_t channels : {2, 6, 36}) {
      expect(channels, 1, 3, stride);
      expect(channels, 9, 1, stride);
      expect(channels, 14, 3, stride);
    }
  expect(34, 27, 3, 1);
  expect(64, 9, 3, 1);
  expect(36, 2, 3, 1);
  expect(6, 9, 7, 1);
  expect(6, 3, 23, 1);   // a row of the filter in two pieces
  expect(34, 2, 13, 1);  // more filters than shared memory is given to
  for (const int vector : {2, 4})
    for (const int outputs : {1, 2, 4})
      EXPECT_TRUE(shapes.contains({vector, outputs, true})) << vector << ' ' << outputs;
  EXPECT_TRUE(shapes.contains({2, 1, false}));
}

TEST(Direct, GivesTheConvolution) {
  ConvProblem problem = strided(kOdd, 2);
  ConvValues conv = ampere(problem, {}, ConvAlgorithm::kDirect);
  expect_convolution(conv);
  conv.problem.groups = 2;
  expect_convolution(conv);
  conv.problem.input = conv.problem.output = Element::kBf16;
  conv.problem.k = 42;  // two filters of a thread
  conv.problem.c = 20;
  expect_convolution(conv);
  conv.problem.input = conv.problem.output = Element::kFp32;
  conv.problem.c = 6;
  expect_convolution(conv);
  conv = volta({.n = 1, .h = 9, .w = 9, .c = 3, .k = 5, .r = 3, .s = 3, .pad_h = 1, .pad_w = 1});
  conv.plan = {ConvAlgorithm::kDirect, {}};
  expect_convolution(conv);
}

TEST(Im2colGemm, GivesTheConvolution) {
  for (ConvProblem problem : shapes()) {
    ConvValues conv = ampere(problem, kCopying, ConvAlgorithm::kIm2colGemm);
    expect_convolution(conv);
    conv.plan.tile.split_k = 2;
    if (problem.r > 1) expect_convolution(conv);
  }
  ConvValues conv = volta(kThree);
  conv.plan.algorithm = ConvAlgorithm::kIm2colGemm;
  expect_convolution(conv);
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
