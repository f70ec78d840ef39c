#include "sim/values/gemm_values.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "sim/config/load.hpp"
#include "sim/config/numerics.hpp"
#include "sim/config/schema.hpp"
#include "sim/values/element.hpp"
#include "tests/support/targets.hpp"

namespace tcsim::values {
namespace {

using kernels::Element;
using kernels::GemmProblem;
using numerics::Generation;

GemmRun run_of(const kernels::Target& target, GemmProblem problem, Distribution distribution) {
  return {problem,
          kernels::choose_tile(problem, target),
          numerics::arithmetic_of(target.architecture).value(),
          {distribution, {}},
          {distribution, {}},
          /*seed=*/5,
          /*real_operands=*/problem.input != Element::kInt8};
}

GemmProblem problem_of(Element input, Element accumulate, Element output) {
  GemmProblem problem;
  problem.m = 200;
  problem.n = 136;
  problem.k = 72;
  problem.input = input;
  problem.accumulate = accumulate;
  problem.output = output;
  return problem;
}

const GemmProblem half_problem = problem_of(Element::kFp16, Element::kFp32, Element::kFp16);

GemmValues values_of(const kernels::Target& target, const GemmRun& run) {
  const auto stream = kernels::make_gemm_stream(run.problem, run.tile, target);
  auto result = execute_gemm(run, stream, matrix_a(run), matrix_b(run));
  EXPECT_TRUE(result.has_value());
  return result.value();
}

TEST(ExecuteGemm, EqualsTheReferenceOfAChangedArithmetic) {
  numerics::TensorArithmetic coarse = Generation::kAmpere;
  coarse.fp16.products = 5;
  coarse.fp16.grid_fraction_bits = 14;
  coarse.subnormals = false;
  numerics::TensorArithmetic backwards = Generation::kAmpere;
  backwards.block_order = numerics::BlockOrder::kInterleaved;
  backwards.fp32_rounding = numerics::RoundingMode::kNearestEven;
  numerics::TensorArithmetic fine = Generation::kHopper;
  fine.fp16.grid_fraction_bits = 30;
  const kernels::Target& target = kernels::testing::a100();
  GemmRun run = run_of(target, half_problem, Distribution::kUniform);
  std::vector<std::vector<std::uint8_t>> results{values_of(target, run).d};
  for (const numerics::TensorArithmetic& core : {coarse, backwards, fine}) {
    run.core = core;
    const GemmValues values = values_of(target, run);
    EXPECT_EQ(values.differences, 0) << to_string(core);
    EXPECT_EQ(std::ranges::count(results, values.d), 0) << to_string(core);
    results.push_back(values.d);
  }
}

/// Words and ends of the range of every key of section numerics, one at a time.
TEST(ExecuteGemm, EqualsTheReferenceAtBothEndsOfEveryNumericsKey) {
  const kernels::Target& target = kernels::testing::a100();
  int arithmetics = 0;
  for (const config::Key& key : config::keys()) {
    if (!key.path.starts_with("numerics.")) continue;
    std::vector<std::string> values;
    for (const std::string_view word : config::allowed_words(key)) values.emplace_back(word);
    if (values.empty()) {
      const bool narrow = key.path.ends_with("accumulator_fraction_bits");
      values = {narrow ? "20" : std::to_string(static_cast<int>(key.min)),
                std::to_string(static_cast<int>(key.max))};
    }
    const bool bf16 = key.path.starts_with("numerics.bf16");
    const Element input = bf16                                    ? Element::kBf16
                          : key.path.starts_with("numerics.tf32") ? Element::kTf32
                                                                  : Element::kFp16;
    GemmProblem problem = problem_of(input, Element::kFp32, Element::kFp32);
    problem.m = problem.n = 24;
    for (const std::string& value : values) {
      GemmRun run = run_of(target, problem, Distribution::kWide);
      run.core = config::tensor_arithmetic(
          config::load_machine("a100", {std::string(key.path) + "=" + value}));
      if (run.core.base < Generation::kAmpere) continue;  // they lack the instruction
      EXPECT_EQ(values_of(target, run).differences, 0) << key.path << " = " << value;
      ++arithmetics;
    }
  }
  EXPECT_GE(arithmetics, 36);
}

TEST(ExecuteGemm, EqualsTheReferenceInEveryFormatAndDistribution) {
  const GemmProblem problems[] = {half_problem,
                                  problem_of(Element::kFp16, Element::kFp16, Element::kFp16),
                                  problem_of(Element::kBf16, Element::kFp32, Element::kBf16),
                                  problem_of(Element::kTf32, Element::kFp32, Element::kFp32),
                                  problem_of(Element::kInt8, Element::kInt32, Element::kInt32)};
  for (const GemmProblem& problem : problems) {
    for (const Distribution one :
         {Distribution::kUniform, Distribution::kNormal, Distribution::kIntegers,
          Distribution::kZeros, Distribution::kWide}) {
      const GemmValues values =
          values_of(kernels::testing::a100(), run_of(kernels::testing::a100(), problem, one));
      EXPECT_EQ(values.elements, 200 * 136);
      EXPECT_EQ(values.differences, 0) << name(one);
      EXPECT_EQ(values.racing_bytes, 0) << name(one);
    }
  }
}

TEST(ExecuteGemm, IntegersAreExactInFp32) {
  GemmProblem problem = half_problem;
  problem.output = Element::kFp32;
  for (const kernels::Target& target : {kernels::testing::v100(), kernels::testing::a100()}) {
    const GemmValues values = values_of(target, run_of(target, problem, Distribution::kIntegers));
    EXPECT_EQ(values.arithmetic.wrong, 0);
    EXPECT_EQ(values.arithmetic.elements, 200 * 136);
    EXPECT_FALSE(values.conversion.has_value());
  }
}

TEST(ExecuteGemm, RoundingOnceToFp16CostsAQuarterOfAnUlpOnAverage) {
  const GemmValues values =
      values_of(kernels::testing::a100(),
                run_of(kernels::testing::a100(), half_problem, Distribution::kUniform));
  // A quarter on average by the last rounding; sums near zero add what the blocks truncated.
  EXPECT_NEAR(values.arithmetic.mean_ulp, 0.25, 0.005);
  EXPECT_GE(values.arithmetic.max_ulp, 0.49);
  ASSERT_TRUE(values.conversion.has_value());
  EXPECT_GT(values.conversion->mean_ulp, values.arithmetic.mean_ulp);
}

TEST(ExecuteGemm, TruncationOfVoltaIsCoarserThanThatOfAmpere) {
  GemmProblem problem = half_problem;
  problem.output = Element::kFp32;
  const auto mean_ulp = [&](const kernels::Target& target) {
    return values_of(target, run_of(target, problem, Distribution::kUniform)).arithmetic.mean_ulp;
  };
  EXPECT_GT(mean_ulp(kernels::testing::v100()), mean_ulp(kernels::testing::a100()));
}

TEST(ExecuteGemm, CountsOverflowsOfFp16) {
  GemmRun run = run_of(kernels::testing::a100(), half_problem, Distribution::kZeros);
  Matrix a{1, 200, 72, std::vector<double>(200 * 72, 0.0)};
  Matrix b{1, 72, 136, std::vector<double>(72 * 136, 0.0)};
  a.values[0] = 60000;     // row 0, k 0
  b.values[0] = 2;         // k 0, column 0
  b.values[1] = 0x1p-24;   // k 0, column 1
  a.values[72] = 0x1p-24;  // row 1, k 0
  run.a.given = a;
  run.b.given = b;
  const GemmValues values = values_of(kernels::testing::a100(), run);
  EXPECT_EQ(values.specials.infinities, 1);
  EXPECT_EQ(values.specials.nans, 0);
  EXPECT_EQ(values.specials.subnormals, 1);  // 2^-24 x 2
  EXPECT_EQ(values.specials.zeros, 200 * 136 - 3);
  EXPECT_EQ(values.b.subnormal, 1);
}

TEST(ExecuteGemm, PassesNansOn) {
  GemmRun run = run_of(kernels::testing::a100(), half_problem, Distribution::kUniform);
  run.a.given = matrix_a(run);
  run.a.given->values[3] = std::numeric_limits<double>::quiet_NaN();
  const GemmValues values = values_of(kernels::testing::a100(), run);
  EXPECT_EQ(values.specials.nans, 136);
  EXPECT_EQ(values.arithmetic.elements, 199 * 136);
  EXPECT_EQ(values.differences, 0);
}

}  // namespace
}  // namespace tcsim::values
