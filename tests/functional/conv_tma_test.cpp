#include <gmock/gmock.h>

#include "sim/config/target.hpp"
#include "sim/library/load.hpp"
#include "tests/functional/conv_cases.hpp"
#include "tests/functional/small_hopper.hpp"
#include "workloads/kernels/library.hpp"

namespace tcsim::functional::testing {
namespace {

using kernels::ConvAlgorithm;
using kernels::ConvProblem;
using kernels::Element;
using ::testing::HasSubstr;

kernels::Target small_hopper(const ConvProblem& problem) {
  return testing::small_hopper(
      kernels::GemmProblem{.input = problem.input, .accumulate = problem.accumulate});
}

ConvValues by_tma(const ConvProblem& problem, const std::string& tile) {
  const kernels::Target target = small_hopper(problem);
  std::string reason;
  const auto plan =
      kernels::parse_conv_tile(tile, problem, ConvAlgorithm::kImplicitGemmTma, target, reason);
  EXPECT_TRUE(plan) << reason;
  return {target, numerics::Generation::kHopper, problem, plan.value_or(kernels::ConvPlan{})};
}

TEST(ConvByTma, EqualsTheDefinition) {
  for (const ConvProblem& problem : conv_shapes()) {
    SCOPED_TRACE(::testing::Message() << problem.c << " channels, " << problem.r << " x "
                                      << problem.s << ", stride " << problem.stride_h);
    expect_convolution(by_tma(problem, "64x64x64_s3_w4x1_coop"));
  }
}

TEST(ConvByTma, EqualsTheDefinitionInTilesOfEveryKind) {
  for (const char* tile :
       {"64x128x64_s2_w8x1_pingpong", "128x64x64_s3_w8x1_coop", "256x64x64_s2_w8x1_coop",
        "128x64x64_s2_w8x1_coop_c2x1", "128x64x64_s2_w8x1_coop_c1x2"}) {
    SCOPED_TRACE(tile);
    expect_convolution(by_tma(strided(kThree, 2), tile));
    expect_convolution(by_tma({.n = 2, .h = 9, .w = 10, .c = 72, .k = 72, .r = 3, .s = 3}, tile));
  }
}

TEST(ConvByTma, ReachesOverDilatedFilters) {
  ConvProblem problem = kThree;
  problem.dil_h = 2;
  problem.dil_w = 3;
  problem.pad_w = 3;
  expect_convolution(by_tma(problem, "64x64x64_s3_w4x1_coop"));
}

TEST(ConvByTma, TakesBytesAndWords) {
  ConvProblem bytes = kThree;
  bytes.c = 48;
  bytes.input = Element::kInt8;
  bytes.accumulate = bytes.output = Element::kInt32;
  expect_convolution(by_tma(bytes, "64x64x128_s3_w4x1_coop"));
  ConvProblem words = kThree;
  words.input = Element::kTf32;
  words.output = Element::kFp32;
  expect_convolution(by_tma(words, "64x64x32_s3_w4x1_coop"));
}

TEST(ConvByTma, FusesWhatFollowsTheSums) {
  ConvProblem problem = kThree;
  problem.post = {.scale = true, .bias = true, .residual = true, .relu = true};
  expect_convolution(by_tma(problem, "64x64x64_s3_w4x1_coop"));
}

TEST(ConvByTma, TakesTilesByTheNameOfAKernel) {
  EXPECT_EQ(by_tma(kThree,
                   "sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_"
                   "tilesize64x128x64_warpgroupsize1x1x1_g1_execute_segment_k_off_kernel__5x_cudnn")
                .plan.tile.text(),
            "64x128x64_s8_w8x1_pingpong");
}

/// cuDNN's, which comes first, has none; CUTLASS's alone has no others.
TEST(ConvByTma, IsTakenWhereTheFirstLibraryHasIt) {
  kernels::Target target = small_hopper(kThree);
  EXPECT_NE(kernels::choose_conv(kThree, target)->algorithm, ConvAlgorithm::kImplicitGemmTma);
  std::erase_if(target.libraries, [](const auto& one) { return one->name != "cutlass-3"; });
  EXPECT_EQ(kernels::choose_conv(kThree, target)->algorithm, ConvAlgorithm::kImplicitGemmTma);
}

TEST(ConvByTma, SaysWhyThereIsNone) {
  const auto reason = [](const ConvProblem& problem) {
    return kernels::why_no_conv_kernel(problem, ConvAlgorithm::kImplicitGemmTma,
                                       small_hopper(problem));
  };
  EXPECT_EQ(reason(kThree), "");
  ConvProblem problem = kThree;
  problem.c = 44;
  EXPECT_EQ(reason(problem), "rows of A have 88 bytes, TMA takes multiples of 16");
  problem = kThree;
  problem.pass = kernels::ConvPass::kWeightGradient;
  EXPECT_THAT(reason(problem), HasSubstr("forward passes of one group"));
  EXPECT_THAT(reason(strided(kThree, 9)), HasSubstr("strides up to 8"));
  // Corners are signed bytes: -pad, and pad - (window - 1).
  const auto row = [&reason](std::int64_t taps, std::int64_t pad) {
    return reason({.w = 512, .c = 64, .k = 64, .s = taps, .pad_w = pad});
  };
  EXPECT_EQ(row(129, 0), "");
  EXPECT_THAT(row(130, 0), HasSubstr("windows of pad - 126 to pad + 129 pixels"));
  EXPECT_EQ(row(2, 128), "");
  EXPECT_THAT(row(1, 128), HasSubstr("windows of pad - 126 to pad + 129 pixels"));
  EXPECT_THAT(row(200, 129), HasSubstr("pads up to 128"));
  EXPECT_THAT(
      kernels::why_no_conv_kernel(kThree, ConvAlgorithm::kImplicitGemmTma, ampere(kThree).target),
      HasSubstr("need Hopper"));
}

}  // namespace
}  // namespace tcsim::functional::testing
