#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <tuple>

#include "tests/functional/conv_cases.hpp"
#include "tests/functional/conv_values.hpp"
#include "tests/support/targets.hpp"
#include "workloads/kernels/conv/depthwise_kernel.hpp"

namespace tcsim::functional::testing {
namespace {

using kernels::ConvAlgorithm;
using kernels::ConvProblem;
using kernels::Element;

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

TEST(Depthwise, TakesNoStepsBetweenTheOnlyTaps) {
  ConvProblem problem{.n = 1, .h = 16, .w = 16, .c = 16, .k = 16, .r = 3, .groups = 16};
  problem.dil_w = 2;
  ConvValues conv = ampere(problem, {}, ConvAlgorithm::kDepthwise);
  conv.target.sms = 1;
  ASSERT_GT(kernels::depthwise_shape(problem, conv.target).outputs, 1);
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

TEST(CudaCoreConvolutions, RefuseResultsThatTheyCannotStore) {
  const kernels::Target v100 = kernels::testing::v100();
  const kernels::Target a100 = kernels::testing::a100();
  for (const ConvAlgorithm algorithm : {ConvAlgorithm::kDirect, ConvAlgorithm::kDepthwise,
                                        ConvAlgorithm::kWinograd2x2, ConvAlgorithm::kWinograd4x4}) {
    ConvProblem problem{
        .n = 1, .h = 6, .w = 6, .c = 8, .k = 8, .r = 3, .s = 3, .pad_h = 1, .pad_w = 1};
    if (algorithm == ConvAlgorithm::kDepthwise) problem.groups = 8;
    const auto why = [&](Element output, const kernels::Target& target) {
      problem.output = output;
      return why_no_conv_kernel(problem, algorithm, target);
    };
    for (const kernels::Target& target : {v100, a100}) {
      for (const Element output : {Element::kFp16, Element::kFp32, Element::kInt8})
        EXPECT_EQ(why(output, target), "") << name(algorithm);
      for (const Element output : {Element::kTf32, Element::kFp64, Element::kInt32})
        EXPECT_EQ(why(output, target),
                  "FP32 sums are stored in fp32, fp16, bf16, int8 or e4m3, not in " +
                      std::string(element_name(output)));
      EXPECT_EQ(why(Element::kE4m3, target), "only Hopper and later convert to E4M3");
    }
    EXPECT_EQ(why(Element::kBf16, a100), "");
    EXPECT_EQ(why(Element::kBf16, v100), "only Ampere and later convert to BF16");
  }
  ConvProblem odd = kThree;
  odd.k = 9;
  odd.output = Element::kInt8;
  EXPECT_EQ(why_no_conv_kernel(odd, ConvAlgorithm::kDirect, a100),
            "bytes are stored two at once: the number of filters is odd");
}

}  // namespace
}  // namespace tcsim::functional::testing
