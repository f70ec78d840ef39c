#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/support/targets.hpp"
#include "workloads/kernels/conv/conv_method.hpp"
#include "workloads/kernels/conv/nchw_method.hpp"

namespace tcsim::kernels::testing {
namespace {

/// What each algorithm with kernels for `problem` is estimated to take, but for the one that is
/// never chosen.
std::vector<std::pair<ConvAlgorithm, double>> estimates(const ConvProblem& problem,
                                                        const Target& target) {
  std::vector<std::pair<ConvAlgorithm, double>> all;
  for (std::size_t i = 0; i < kConvAlgorithmNames.size(); ++i) {
    const auto algorithm = static_cast<ConvAlgorithm>(i);
    const auto method = make_conv_method(problem, algorithm, target);
    if (algorithm == ConvAlgorithm::kImplicitGemmAnalytic || !method->why_not().empty()) continue;
    all.emplace_back(algorithm, method->estimate(method->choose()));
  }
  return all;
}

TEST(ConvChoice, IsTheAlgorithmThatIsEstimatedFastest) {
  const ConvProblem small{.n = 1, .h = 14, .w = 14, .c = 64, .k = 64, .r = 3, .s = 3};
  const ConvProblem large{
      .n = 32, .h = 56, .w = 56, .c = 64, .k = 64, .r = 3, .s = 3, .pad_h = 1, .pad_w = 1};
  const ConvProblem points{.n = 8, .h = 28, .w = 28, .c = 256, .k = 512};
  for (const ConvProblem& problem : {small, large, points})
    for (const Target& target : {a100(), v100()}) {
      const auto all = estimates(problem, target);
      ASSERT_GT(all.size(), 1U);
      const auto least =
          *std::ranges::min_element(all, {}, [](const auto& one) { return one.second; });
      EXPECT_EQ(choose_conv(problem, target)->algorithm, least.first) << target.architecture;
    }
}

TEST(ConvChoice, SumsLongProductsOfFewPixelsOnTensorCores) {
  // One warp after the other would load each channel: 25 us on a V100, of which 11 suffice.
  const ConvProblem points{.n = 1, .h = 7, .w = 7, .c = 512, .k = 512};
  const ConvProblem odd_channels{
      .n = 1, .h = 14, .w = 14, .c = 63, .k = 64, .r = 3, .s = 3, .pad_h = 1, .pad_w = 1};
  for (const ConvProblem& problem : {points, odd_channels})
    for (const Target& target : {a100(), v100()})
      EXPECT_NE(choose_conv(problem, target)->algorithm, ConvAlgorithm::kDirect)
          << target.architecture;
}

TEST(ConvChoice, CountsResultsInTheirFormat) {
  const auto single_to_half = [](ConvProblem problem, ConvAlgorithm algorithm) {
    const auto cycles = [&] {
      const auto method = make_conv_method(problem, algorithm, a100());
      return method->estimate(method->choose());
    };
    const double half = cycles();
    problem.output = Element::kFp32;
    return cycles() / half;
  };
  ConvProblem per_channel{
      .n = 32, .h = 112, .w = 112, .c = 96, .k = 96, .r = 3, .s = 3, .pad_h = 1, .pad_w = 1};
  per_channel.groups = 96;
  EXPECT_NEAR(single_to_half(per_channel, ConvAlgorithm::kDepthwise), 1.5, 0.01);
  const ConvProblem points{.n = 32, .h = 112, .w = 112, .c = 8, .k = 8};
  EXPECT_GT(single_to_half(points, ConvAlgorithm::kDirect), 1.3);
}

TEST(ConvChoice, CountsAGradientWhoseLayoutChangesInItsFormat) {
  const auto changes = [](Element output) {
    ConvProblem problem{.n = 32, .h = 56, .w = 56, .c = 64, .k = 64, .r = 3, .s = 3};
    problem.pass = ConvPass::kDataGradient;
    problem.output = output;
    const auto inner = make_conv_method(problem, ConvAlgorithm::kImplicitGemm, a100());
    const GemmTile tile = inner->choose();
    problem.order = TensorOrder::kNchw;
    const NchwMethod around(problem, ConvAlgorithm::kImplicitGemm, a100());
    return around.estimate(tile) - inner->estimate(tile);
  };
  EXPECT_GT(changes(Element::kFp32), 1.2 * changes(Element::kFp16));
}

TEST(ConvChoice, IsNothingWhereNoAlgorithmHasKernels) {
  ConvProblem problem{.n = 1, .h = 14, .w = 14, .c = 64, .k = 64, .r = 3, .s = 3};
  problem.input = Element::kBf16;
  problem.output = Element::kBf16;
  EXPECT_FALSE(choose_conv(problem, v100()).has_value());
}

TEST(ConvChoice, HasKernelsWhoseCtasAnSmHolds) {
  const ConvProblem problem{.n = 1, .h = 5, .w = 5, .c = 8, .k = 8};
  Target target = a100();
  EXPECT_EQ(choose_conv(problem, target)->algorithm, ConvAlgorithm::kDirect);
  target.max_threads_per_cta = 128;
  const auto plan = choose_conv(problem, target);
  ASSERT_TRUE(plan);
  EXPECT_NE(plan->algorithm, ConvAlgorithm::kDirect);
  for (const isa::KernelLaunch& launch : make_conv_stream(problem, *plan, target))
    EXPECT_LE(launch.warps_per_cta * isa::kLanes, target.max_threads_per_cta);
}

TEST(ConvChoice, WithATileIsTheFastestAlgorithmThatHasIt) {
  const ConvProblem problem{.n = 1, .h = 5, .w = 5, .c = 8, .k = 8, .r = 2, .s = 2};
  const Target target = v100();
  // What is fastest here computes no product.
  ASSERT_EQ(choose_conv(problem, target)->tile.m, 0);
  std::string reason;
  const auto plan = parse_conv_tile("64x64x32", problem, std::nullopt, target, reason);
  ASSERT_TRUE(plan) << reason;
  EXPECT_TRUE(reason.empty());
  EXPECT_EQ(plan->tile.m, 64);
  double least = 0;
  std::optional<ConvAlgorithm> best;
  for (const auto& [algorithm, untiled] : estimates(problem, target)) {
    std::string why_not;
    const auto tiled = parse_conv_tile("64x64x32", problem, algorithm, target, why_not);
    if (!tiled) continue;
    const double cycles = make_conv_method(problem, algorithm, target)->estimate(tiled->tile);
    if (best && cycles >= least) continue;
    best = algorithm;
    least = cycles;
  }
  EXPECT_EQ(plan->algorithm, best);
}

TEST(ConvChoice, SaysWhichAlgorithmHasNotTheTile) {
  const ConvProblem problem{.n = 1, .h = 14, .w = 14, .c = 64, .k = 64, .r = 3, .s = 3};
  std::string reason;
  EXPECT_FALSE(parse_conv_tile("7x7x7", problem, std::nullopt, v100(), reason));
  EXPECT_TRUE(reason.starts_with("implicit_gemm: no tile '7x7x7' on the menu; of ")) << reason;
  EXPECT_FALSE(parse_conv_tile("64x64x32", problem, ConvAlgorithm::kDirect, v100(), reason));
  EXPECT_EQ(reason, "direct has no tiles to choose");
  for (const auto& [tile, why_not] :
       {std::pair{"128x128x32_s5_w2x2_coop", "these kernels have no roles"},
        std::pair{"128x128x32_s5_w2x2_swapped",
                  "clusters, swapped, halfboxes and waited need warpgroups, with coop or "
                  "pingpong"}}) {
    EXPECT_FALSE(parse_conv_tile(tile, problem, ConvAlgorithm::kImplicitGemm, a100(), reason));
    EXPECT_EQ(reason, "tile '" + std::string(tile) + "': " + why_not);
  }
  const ConvProblem depthwise{
      .n = 1, .h = 14, .w = 14, .c = 64, .k = 64, .r = 3, .s = 3, .groups = 64};
  Target without_tensor_cores = v100();
  without_tensor_cores.features.mma.clear();
  EXPECT_FALSE(parse_conv_tile("64x64x32", depthwise, std::nullopt, without_tensor_cores, reason));
  EXPECT_EQ(reason, "no algorithm that computes this convolution has tiles");
}

}  // namespace
}  // namespace tcsim::kernels::testing
