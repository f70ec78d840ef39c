#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

#include "tests/functional/conv_cases.hpp"
#include "tests/functional/conv_values.hpp"
#include "tests/support/targets.hpp"

namespace tcsim::functional::testing {
namespace {

using kernels::ConvAlgorithm;
using kernels::ConvProblem;
using kernels::Element;
using kernels::GemmTile;

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

TEST(Winograd, IsExactFused) {
  for (ConvProblem problem : {kThree, conv_shapes()[4]}) {
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
  ConvValues old = volta(conv_shapes()[4]);
  old.plan = {ConvAlgorithm::kWinograd2x2Fused, {}};
  expect_convolution(old);
}

TEST(Fft, GivesTheConvolution) {
  for (ConvProblem problem : {kThree, conv_shapes()[4], conv_shapes()[5]}) {
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
  EXPECT_EQ(reason(), "FFT tiles of 16 x 16 pixels allow filters of up to 8 x 8");
  problem.r = 17;  // a tile has no output
  EXPECT_EQ(reason(), "FFT tiles of 16 x 16 pixels allow filters of up to 8 x 8");
}

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

}  // namespace
}  // namespace tcsim::functional::testing
