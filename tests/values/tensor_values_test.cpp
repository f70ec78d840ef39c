#include "sim/values/tensor_values.hpp"

#include <gtest/gtest.h>

#include "sim/values/attention_operation.hpp"
#include "sim/values/conv_operation.hpp"
#include "sim/values/vector_operation.hpp"
#include "tests/kernels/gemm_check.hpp"

namespace tcsim::values {
namespace {

using kernels::ConvAlgorithm;
using kernels::ConvProblem;
using numerics::Generation;

constexpr ConvProblem kConv{
    .n = 1, .h = 5, .w = 6, .c = 16, .k = 16, .r = 3, .s = 3, .pad_h = 1, .pad_w = 1};

TensorValues values_of(const TensorOperation& operation,
                       const std::vector<isa::KernelLaunch>& stream,
                       Distribution distribution = Distribution::kUniform) {
  auto result = execute_operation(operation, distribution, /*seed=*/3, Generation::kAmpere, stream);
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
