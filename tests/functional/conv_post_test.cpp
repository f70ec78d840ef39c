#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/functional/conv_cases.hpp"
#include "tests/functional/conv_values.hpp"
#include "tests/support/targets.hpp"

namespace tcsim::functional::testing {
namespace {

using kernels::ConvAlgorithm;
using kernels::ConvProblem;
using kernels::Element;
using kernels::GemmTile;

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

TEST(Post, IsNotSplitAlongK) {
  ConvProblem problem = kOdd;
  problem.post = {.bias = true};
  std::string reason;
  EXPECT_FALSE(kernels::parse_conv_tile("64x64_splitk2", problem, ConvAlgorithm::kImplicitGemm,
                                        kernels::testing::a100(), reason));
  EXPECT_NE(reason.find("(fused=0)"), std::string::npos) << reason;
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

}  // namespace
}  // namespace tcsim::functional::testing
