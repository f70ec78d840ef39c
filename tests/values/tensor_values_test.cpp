#include "sim/values/tensor_values.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sim/config/target.hpp"
#include "sim/library/load.hpp"
#include "sim/values/attention_operation.hpp"
#include "sim/values/conv_operation.hpp"
#include "sim/values/gemm_operation.hpp"
#include "sim/values/vector_operation.hpp"
#include "tests/support/targets.hpp"

namespace tcsim::values {
namespace {

using kernels::ConvAlgorithm;
using kernels::ConvProblem;
using numerics::Generation;

constexpr ConvProblem kConv{
    .n = 1, .h = 5, .w = 6, .c = 16, .k = 16, .r = 3, .s = 3, .pad_h = 1, .pad_w = 1};

TensorValues values_of(const TensorOperation& operation,
                       const std::vector<isa::KernelLaunch>& stream,
                       Distribution distribution = Distribution::kUniform,
                       const numerics::TensorArithmetic& core = Generation::kAmpere) {
  auto result = execute_operation(operation, distribution, /*seed=*/3, core, stream);
  EXPECT_TRUE(result.has_value());
  return result.value();
}

std::vector<isa::KernelLaunch> stream_of(const ConvProblem& problem) {
  const kernels::Target target = kernels::testing::a100();
  return make_conv_stream(problem, choose_conv_tile(problem, ConvAlgorithm::kImplicitGemm, target),
                          target);
}

TEST(ExecuteOperation, FindsTheElementsOfAKernelThatComputesSomethingElse) {
  ConvProblem other = kConv;
  other.post.relu = true;  // the kernel does it, the definition does not
  const TensorValues values =
      values_of(conv_operation(kConv, ConvAlgorithm::kImplicitGemm), stream_of(other));
  EXPECT_GT(values.results[0].outside, 0);
  EXPECT_GT(values.results[0].nearest_bound, 1);
}

TEST(ExecuteOperation, FindsElementsThatNobodyWrites) {
  TensorOperation operation = conv_operation(kConv, ConvAlgorithm::kImplicitGemm);
  auto stream = stream_of(kConv);
  stream.front().grid = {1, 1, 1};
  stream.front().programs.front().instructions.erase(
      stream.front().programs.front().instructions.begin(),
      stream.front().programs.front().instructions.end() - 1);  // EXIT is left
  stream.front().programs.front().loops.clear();
  EXPECT_EQ(values_of(operation, stream).results[0].outside, kConv.y_elements());
}

TEST(ExecuteOperation, ErrorsOfSmallNumbersAreZero) {
  ConvProblem problem = kConv;
  problem.output = kernels::Element::kFp32;
  const TensorValues values = values_of(conv_operation(problem, ConvAlgorithm::kImplicitGemm),
                                        stream_of(problem), Distribution::kIntegers);
  EXPECT_EQ(values.results[0].arithmetic.wrong, 0);
  EXPECT_EQ(values.results[0].arithmetic.elements, problem.y_elements());
  EXPECT_FALSE(values.results[0].conversion.has_value());
}

TEST(ExecuteOperation, RoundedInputsCostMoreThanTheArithmetic) {
  const TensorValues values =
      values_of(conv_operation(kConv, ConvAlgorithm::kImplicitGemm), stream_of(kConv));
  ASSERT_TRUE(values.results[0].conversion.has_value());
  EXPECT_GT(values.results[0].conversion->norm_relative,
            values.results[0].arithmetic.norm_relative);
}

/// kConv with every element of y defined as `exact`, within `allowed`.
TensorOperation defined_as(double exact, double allowed) {
  TensorOperation operation = conv_operation(kConv, ConvAlgorithm::kImplicitGemm);
  operation.evaluate = [=](const TensorElements&, const ElementVisit& visit) {
    for (std::int64_t i = 0; i < kConv.y_elements(); ++i) visit(0, i, exact, allowed);
  };
  return operation;
}

/// Elements of y beyond their bound where all of x are `x` and all of w are 1.
std::int64_t outside(TensorOperation operation, double x,
                     const numerics::TensorArithmetic& core = Generation::kAmpere) {
  operation.derive = [x](TensorElements& inputs, const functional::Poll&) {
    std::ranges::fill(inputs[0], x);
    std::ranges::fill(inputs[1], 1.0);
  };
  return values_of(operation, stream_of(kConv), Distribution::kUniform, core).results[0].outside;
}

TEST(ExecuteOperation, FindsFiniteElementsUpToTheLargestNumberAndBeyond) {
  EXPECT_EQ(outside(defined_as(40000, 100), 1), kConv.y_elements());
  EXPECT_EQ(outside(defined_as(70000, 100), 1), kConv.y_elements());
}

TEST(ExecuteOperation, TakesAnInfinityOfTheRightSignAlone) {
  constexpr double kLargest = 65504;
  EXPECT_EQ(outside(conv_operation(kConv, ConvAlgorithm::kImplicitGemm), kLargest), 0);
  EXPECT_EQ(outside(defined_as(65500, 10), kLargest), 0);
  EXPECT_EQ(outside(defined_as(-65500, 10), kLargest), kConv.y_elements());
  EXPECT_EQ(outside(defined_as(65480, 10), kLargest), kConv.y_elements());
}

TEST(ExecuteOperation, TakesANanWhereInfinitiesMayCancel) {
  EXPECT_EQ(outside(defined_as(65500, 10), NAN), kConv.y_elements());
  EXPECT_EQ(outside(defined_as(0, 66000), NAN), 0);
}

/// y is 64 to 144, so a bound of 1 holds if it is 4096 times as large.
TEST(ExecuteOperation, WidensBoundsByTheDigitsThatItsMmasLose) {
  const auto outside_on = [](const numerics::TensorArithmetic& core) {
    return outside(defined_as(0, 1), 1, core);
  };
  const std::int64_t all = kConv.y_elements();
  numerics::TensorArithmetic core = Generation::kHopper;
  EXPECT_EQ(outside_on(core), all);
  core.fp8.products = 16;
  core.fp8.grid_fraction_bits = core.bf16.grid_fraction_bits = core.tf32.grid_fraction_bits = 1;
  core.fp16_rounding = numerics::RoundingMode::kTruncate;  // sums are FP32
  EXPECT_EQ(outside_on(core), all);
  core.fp16.grid_fraction_bits = 25 - 12;
  EXPECT_EQ(outside_on(core), 0);
  core.fp16.grid_fraction_bits.reset();
  core.subnormals = false;
  EXPECT_EQ(outside_on(core), 0);
}

/// FP8 on Hopper is compared with FP8 of warpgroups. D is 128.
TEST(ExecuteOperation, WidensBoundsOfWarpgroupsByTheirOwnDigits) {
  kernels::GemmProblem problem{.m = 64, .n = 64, .k = 128};
  problem.input = kernels::Element::kE4m3;
  problem.output = kernels::Element::kBf16;
  problem.epilogue.scale = true;
  const kernels::Target target = config::make_target(library::load_machine("h100"), problem);
  const auto stream = make_gemm_stream(problem, choose_tile(problem, target), target);
  TensorOperation operation = gemm_operation(problem, 1);
  operation.derive = [](TensorElements& inputs, const functional::Poll&) {
    for (std::vector<double>& input : inputs) std::ranges::fill(input, 1.0);
  };
  operation.evaluate = [&](const TensorElements&, const ElementVisit& visit) {
    for (std::int64_t i = 0; i < problem.m * problem.n; ++i) visit(0, i, 0, 1);
  };
  const auto outside_on = [&](const numerics::TensorArithmetic& core) {
    return values_of(operation, stream, Distribution::kUniform, core).results[0].outside;
  };
  numerics::TensorArithmetic core = Generation::kHopper;
  core.fp8.products = 16;
  EXPECT_EQ(outside_on(core), problem.m * problem.n);
  core.fp8.grid_fraction_bits = 13 - 8;
  EXPECT_EQ(outside_on(core), 0);
}

/// Each sum of eight products lies below half of FP16's smallest number, so nothing is left.
TEST(ConvOperation, AllowsForSubnormalSumsOfFp16) {
  ConvProblem problem = kConv;
  problem.accumulate = kernels::Element::kFp16;
  TensorOperation operation = conv_operation(problem, ConvAlgorithm::kImplicitGemm);
  operation.derive = [](TensorElements& inputs, const functional::Poll&) {
    std::ranges::fill(inputs[0], 0x1p-14);
    std::ranges::fill(inputs[1], 0x1.cp-15);
  };
  const TensorResult y = values_of(operation, stream_of(problem)).results[0];
  EXPECT_EQ(y.specials.zeros, problem.y_elements());
  EXPECT_EQ(y.outside, 0);
}

TEST(GemmOperation, AllowsForSubnormalSumsOfFp16BehindAScale) {
  kernels::GemmProblem problem;
  problem.m = problem.n = 64;
  problem.k = 1;
  problem.input = problem.accumulate = problem.output = kernels::Element::kFp16;
  problem.epilogue.scale = true;
  const kernels::Target target = kernels::testing::a100();
  const auto stream = make_gemm_stream(problem, choose_tile(problem, target), target);
  const TensorResult d =
      values_of(gemm_operation(problem, 1), stream, Distribution::kWide).results[0];
  EXPECT_GT(d.arithmetic.wrong, 0);
  EXPECT_EQ(d.outside, 0);
}

TEST(GemmOperation, HasNoBoundWhereAPartOfASumMayOverflow) {
  kernels::GemmProblem problem{.m = 64, .n = 64, .k = 64};
  problem.input = problem.accumulate = problem.output = kernels::Element::kFp16;
  problem.epilogue.scale = true;
  const kernels::Target target = kernels::testing::a100();
  TensorOperation operation = gemm_operation(problem, 1);
  operation.derive = [](TensorElements& inputs, const functional::Poll&) {
    std::ranges::fill(inputs[0], 200);
    for (std::size_t i = 0; i < inputs[1].size(); ++i) inputs[1][i] = i % 64 < 32 ? 200 : -200;
    std::ranges::fill(inputs[2], 1);
  };
  const auto stream = make_gemm_stream(problem, choose_tile(problem, target), target);
  const TensorResult d = values_of(operation, stream).results[0];
  EXPECT_GT(d.specials.infinities + d.specials.nans, 0);
  EXPECT_EQ(d.outside, 0);
}

TEST(ConvOperation, IsTheProductOfSixNumbersByHand) {
  // x = 1 2 3, w = 10 100, one channel: y = 210, 320.
  const ConvProblem row{.n = 1, .h = 1, .w = 3, .c = 1, .k = 1, .r = 1, .s = 2};
  std::vector<double> y(2);
  conv_operation(row, ConvAlgorithm::kImplicitGemm)
      .evaluate({{1, 2, 3}, {10, 100}}, [&](std::size_t, std::int64_t i, double exact, double) {
        y[static_cast<std::size_t>(i)] = exact;
      });
  EXPECT_EQ(y, (std::vector<double>{210, 320}));
}

TEST(ConvOperation, GradientsAreTransposes) {
  // dx = w^T dy and dw = x^T dy for the same row.
  ConvProblem row{.n = 1, .h = 1, .w = 3, .c = 1, .k = 1, .r = 1, .s = 2};
  std::vector<double> got(3);
  const ElementVisit take = [&](std::size_t, std::int64_t i, double exact, double) {
    got[static_cast<std::size_t>(i)] = exact;
  };
  row.pass = kernels::ConvPass::kDataGradient;
  conv_operation(row, ConvAlgorithm::kImplicitGemm).evaluate({{10, 100}, {1, 2}}, take);
  EXPECT_EQ(got, (std::vector<double>{10, 120, 200}));
  row.pass = kernels::ConvPass::kWeightGradient;
  got = {0, 0};
  conv_operation(row, ConvAlgorithm::kImplicitGemm).evaluate({{1, 2, 3}, {1, 2}}, take);
  EXPECT_EQ(got, (std::vector<double>{5, 8}));
}

TEST(ConvOperation, AllowsForTheTransformsOfATileBesideTheImage) {
  // The windows of the outer pixels of y see nothing of x, but share a tile with it.
  const ConvProblem row{.n = 1, .h = 1, .w = 1, .c = 1, .k = 1, .r = 1, .s = 2, .pad_w = 2};
  const auto allowed = [&](ConvAlgorithm algorithm) {
    std::vector<double> bounds(4);
    conv_operation(row, algorithm)
        .evaluate({{1}, {10, 100}}, [&](std::size_t, std::int64_t i, double, double bound) {
          bounds[static_cast<std::size_t>(i)] = bound;
        });
    return bounds;
  };
  EXPECT_GT(allowed(ConvAlgorithm::kFft).front(), 10 * allowed(ConvAlgorithm::kDirect).front());
}

TEST(AttentionOperation, OfEqualKeysIsTheMeanOfTheVisibleValues) {
  const kernels::AttentionProblem problem{.queries = 2, .keys = 2, .dim = 1, .causal = true};
  std::vector<double> output(2);
  attention_operation(problem).evaluate(
      {{1, 1}, {1, 1}, {4, 8}}, [&](std::size_t result, std::int64_t i, double exact, double) {
        if (result == 0) output[static_cast<std::size_t>(i)] = exact;
      });
  EXPECT_EQ(output, (std::vector<double>{4, 6}));
}

TEST(VectorOperation, SoftmaxOfEqualNumbersIsUniform) {
  vector_operation({kernels::VectorOperation::kSoftmax, 1, 4, kernels::Element::kFp32})
      .evaluate({{7, 7, 7, 7}}, [](std::size_t, std::int64_t, double exact, double allowed) {
        EXPECT_EQ(exact, 0.25);
        EXPECT_LT(allowed, 1e-3);
      });
}

}  // namespace
}  // namespace tcsim::values
