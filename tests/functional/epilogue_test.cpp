#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/values/element.hpp"
#include "sim/values/gemm_operation.hpp"
#include "sim/values/tensor_values.hpp"
#include "tests/support/targets.hpp"

namespace tcsim::functional::testing {
namespace {

using kernels::Activation;
using kernels::Element;
using kernels::GemmEpilogue;
using kernels::GemmProblem;
using kernels::GemmTile;
using kernels::Target;

constexpr GemmEpilogue kAll{true, true, true, Activation::kGelu};

GemmProblem problem_with(const GemmEpilogue& epilogue) {
  return {.m = 40, .n = 72, .k = 40, .epilogue = epilogue};
}

values::TensorResult result_of(const GemmProblem& problem, const GemmTile& tile,
                               const Target& target, const GemmProblem& defined_by,
                               values::Distribution inputs = values::Distribution::kUniform) {
  const auto stream = kernels::make_gemm_stream(problem, tile, target);
  const auto operation = values::gemm_operation(defined_by, tile.serial_k ? tile.split_k : 1);
  auto values = values::execute_operation(operation, inputs, /*seed=*/7,
                                          *numerics::arithmetic_of(target.architecture), stream);
  EXPECT_TRUE(values.has_value());
  EXPECT_EQ(values.value().racing_bytes, 0);
  return values.value().results.front();
}

void expect_epilogue(const GemmProblem& problem, const GemmTile& tile, const Target& target) {
  SCOPED_TRACE(target.architecture + " " + tile.text() + problem.epilogue.text());
  const values::TensorResult result = result_of(problem, tile, target, problem);
  EXPECT_EQ(result.outside, 0);
  // Sums of bytes may lie beyond the range of FP16.
  EXPECT_EQ(result.arithmetic.elements + result.specials.infinities,
            problem.batch * problem.m * problem.n);
}

GemmTile tile_for(const GemmProblem& problem, const Target& target, const std::string& text) {
  std::string reason;
  const auto tile = kernels::parse_tile(text, problem, target, reason);
  EXPECT_TRUE(tile.has_value()) << reason;
  return *tile;
}

TEST(GemmEpilogue, DoesEveryCombination) {
  const Target target = kernels::testing::a100();
  for (const bool scale : {false, true})
    for (const bool bias : {false, true})
      for (const bool residual : {false, true})
        for (const Activation activation :
             {Activation::kNone, Activation::kRelu, Activation::kGelu, Activation::kSilu}) {
          const GemmProblem problem = problem_with({scale, bias, residual, activation});
          expect_epilogue(problem, tile_for(problem, target, "64x64x64_s5_w2x2"), target);
        }
}

TEST(GemmEpilogue, CoversGenerationsFormatsAndTiles) {
  GemmProblem problem = problem_with(kAll);
  expect_epilogue(problem, tile_for(problem, kernels::testing::v100(), "64x64"),
                  kernels::testing::v100());
  expect_epilogue(problem, tile_for(problem, kernels::testing::t4(), "128x128"),
                  kernels::testing::t4());
  const Target target = kernels::testing::a100();
  for (const char* tile : {"128x128x32", "256x64x32", "64x64x64_s5_w1x2_sliced2"})
    expect_epilogue(problem, tile_for(problem, target, tile), target);
  problem.n = 77;  // one element of D at a time
  expect_epilogue(problem, kernels::choose_tile(problem, target), target);
  problem = problem_with(kAll);
  problem.output = Element::kFp32;
  expect_epilogue(problem, kernels::choose_tile(problem, target), target);
  problem.input = problem.output = Element::kBf16;
  problem.batch = 3;
  expect_epilogue(problem, kernels::choose_tile(problem, target), target);
}

TEST(GemmEpilogue, RoundsSumsOfBytesToFp16WithAndWithoutPacking) {
  GemmProblem problem = problem_with({});
  problem.input = Element::kInt8;
  problem.accumulate = Element::kInt32;
  problem.output = Element::kFp16;
  problem.k = 64;
  for (const GemmEpilogue& epilogue : {GemmEpilogue{}, kAll}) {
    problem.epilogue = epilogue;
    for (const std::int64_t n : {72, 77}) {
      problem.n = n;
      for (const Target& target : {kernels::testing::t4(), kernels::testing::a100()})
        expect_epilogue(problem, kernels::choose_tile(problem, target), target);
      problem.unit = kernels::Unit::kCudaCore;
      expect_epilogue(problem, kernels::choose_tile(problem, kernels::testing::v100()),
                      kernels::testing::v100());
      problem.unit = kernels::Unit::kTensor;
    }
  }
}

TEST(GemmEpilogue, WorksOnCudaCoresInEitherOutput) {
  GemmProblem problem = problem_with(kAll);
  problem.input = Element::kFp32;
  problem.unit = kernels::Unit::kCudaCore;
  for (const Element output : {Element::kFp32, Element::kFp16}) {
    problem.output = output;
    for (const Target& target : {kernels::testing::v100(), kernels::testing::a100()})
      expect_epilogue(problem, kernels::choose_tile(problem, target), target);
  }
}

TEST(GemmEpilogue, FollowsTheReductionOfSplitK) {
  const Target target = kernels::testing::a100();
  GemmProblem problem = problem_with(kAll);
  problem.k = 136;
  problem.batch = 2;
  expect_epilogue(problem, tile_for(problem, target, "64x64x64_s5_w2x2_splitk3"), target);
  problem.n = 77;
  expect_epilogue(problem, tile_for(problem, target, "64x64x64_s5_w2x2_splitk3"), target);
}

TEST(GemmEpilogue, FollowsTheLastOfSlicesThatTakeTurns) {
  const Target target = kernels::testing::a100();
  const std::string text = "64x64x64_s5_w2x2_splitk3_serial";
  GemmProblem problem = problem_with(kAll);
  problem.k = 136;
  problem.batch = 2;
  expect_epilogue(problem, tile_for(problem, target, text), target);
  problem.n = 77;
  expect_epilogue(problem, tile_for(problem, target, text), target);
  // Integers leave no roundings, so what comes twice or too early shows.
  for (const GemmEpilogue& epilogue :
       {GemmEpilogue{true, true, true, Activation::kRelu}, GemmEpilogue{.scale = true},
        GemmEpilogue{.bias = true}, GemmEpilogue{.residual = true},
        GemmEpilogue{.activation = Activation::kRelu}}) {
    problem.epilogue = epilogue;
    problem.output = Element::kFp32;
    EXPECT_EQ(result_of(problem, tile_for(problem, target, text), target, problem,
                        values::Distribution::kIntegers)
                  .arithmetic.wrong,
              0)
        << epilogue.text();
  }
}

TEST(GemmEpilogue, FollowsTheSumsOfStreamK) {
  Target target = kernels::testing::a100();
  target.sms = 7;
  GemmProblem problem = problem_with(kAll);
  problem.m = 136;
  problem.n = 184;
  problem.k = 648;
  expect_epilogue(problem, tile_for(problem, target, "64x64x32_s4_w2x2_streamk"), target);
}

TEST(GemmEpilogue, IsExactForSmallNumbers) {
  GemmProblem problem = problem_with({true, true, true, Activation::kRelu});
  problem.output = Element::kFp32;
  const Target target = kernels::testing::a100();
  EXPECT_EQ(result_of(problem, kernels::choose_tile(problem, target), target, problem,
                      values::Distribution::kIntegers)
                .arithmetic.wrong,
            0);
}

TEST(GemmEpilogue, IsMissedWhereItIsAbsent) {
  const Target target = kernels::testing::a100();
  for (const GemmEpilogue& epilogue :
       {GemmEpilogue{.scale = true}, GemmEpilogue{.bias = true}, GemmEpilogue{.residual = true},
        GemmEpilogue{.activation = Activation::kSilu}}) {
    const GemmProblem problem = problem_with(epilogue);
    GemmProblem other = problem;
    other.epilogue.activation = Activation::kRelu;
    EXPECT_GT(result_of(problem, kernels::choose_tile(problem, target), target, other).outside,
              100);
  }
}

TEST(GemmEpilogue, FollowsFp16Sums) {
  for (const Target& target :
       {kernels::testing::v100(), kernels::testing::t4(), kernels::testing::a100()}) {
    for (const GemmEpilogue& epilogue : {kAll, GemmEpilogue{.residual = true}}) {
      GemmProblem problem = problem_with(epilogue);
      problem.accumulate = Element::kFp16;
      expect_epilogue(problem, kernels::choose_tile(problem, target), target);
      problem.n = 77;
      expect_epilogue(problem, kernels::choose_tile(problem, target), target);
    }
  }
  const Target target = kernels::testing::a100();
  GemmProblem problem = problem_with(kAll);
  problem.accumulate = Element::kFp16;
  problem.k = 136;
  for (const char* tile :
       {"64x64x64_s5_w2x2_splitk3", "64x64x64_s5_w2x2_splitk3_serial", "64x64x64_s5_w1x2_sliced2"})
    expect_epilogue(problem, tile_for(problem, target, tile), target);
  problem.unit = kernels::Unit::kCudaCore;
  expect_epilogue(problem, kernels::choose_tile(problem, target), target);
}

GemmProblem integer_problem(const GemmEpilogue& epilogue, Element output) {
  GemmProblem problem = problem_with(epilogue);
  problem.k = 160;
  problem.input = Element::kInt8;
  problem.accumulate = Element::kInt32;
  problem.output = output;
  return problem;
}

TEST(GemmEpilogue, FollowsInt32Sums) {
  const Target target = kernels::testing::a100();
  for (const Element output : {Element::kFp16, Element::kFp32, Element::kInt8}) {
    for (const GemmEpilogue& epilogue :
         {kAll, GemmEpilogue{.scale = true}, GemmEpilogue{.residual = true}}) {
      const GemmProblem problem = integer_problem(epilogue, output);
      for (const char* tile : {"128x64x64", "64x64x64_s5_w2x2_splitk2"})
        expect_epilogue(problem, tile_for(problem, target, tile), target);
    }
  }
  GemmProblem problem = integer_problem(kAll, Element::kInt8);
  problem.unit = kernels::Unit::kCudaCore;
  expect_epilogue(problem, kernels::choose_tile(problem, kernels::testing::t4()),
                  kernels::testing::t4());
}

TEST(GemmEpilogue, FollowsInt32SumsOfEveryTileOfScaledInt8) {
  const Target target = kernels::testing::a100();
  const GemmProblem problem = integer_problem({.scale = true}, Element::kFp16);
  const std::vector<GemmTile> tiles = kernels::gemm_tiles(problem, target);
  ASSERT_GE(tiles.size(), 6u);
  for (const GemmTile& tile : tiles) expect_epilogue(problem, tile, target);
}

TEST(GemmEpilogue, SaturatesBytes) {
  const Target target = kernels::testing::a100();
  const GemmProblem problem = integer_problem({}, Element::kInt8);
  const values::TensorResult result =
      result_of(problem, tile_for(problem, target, "128x64x64"), target, problem);
  EXPECT_EQ(result.arithmetic.wrong, 0);
}

TEST(GemmEpilogue, HasNoIntegersBehindFp32Arithmetic) {
  const Target target = kernels::testing::a100();
  EXPECT_NE(kernels::why_no_kernel(integer_problem({.bias = true}, Element::kInt32), target), "");
  GemmProblem odd = integer_problem({.bias = true}, Element::kInt8);
  odd.n = 77;
  EXPECT_THAT(kernels::why_no_kernel(odd, target), ::testing::HasSubstr("n is odd"));
}

}  // namespace
}  // namespace tcsim::functional::testing
