#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sim/values/attention_backward_operation.hpp"
#include "sim/values/attention_operation.hpp"
#include "sim/values/tensor_values.hpp"
#include "tests/functional/attention_execution.hpp"
#include "tests/support/targets.hpp"

namespace tcsim::functional::testing {
namespace {

using kernels::AttentionProblem;
using kernels::Element;
using values::TensorElements;

values::TensorValues gradients_of(const AttentionProblem& problem,
                                  const values::TensorOperation& operation) {
  EXPECT_EQ(kernels::make_attention(problem, kernels::testing::a100()).size(), 3U);
  return executed_attention(problem, operation, /*seed=*/11);
}

void expect_gradients(const AttentionProblem& problem) {
  expect_bounded_gradients(gradients_of(problem, values::attention_backward_operation(problem)),
                           problem);
}

TEST(AttentionBackward, GivesTheGradientsForEveryHeadSize) {
  for (const int dim : {32, 40, 96, 128})
    expect_gradients(backward({.queries = 64, .keys = 128, .dim = dim}));
}

TEST(AttentionBackward, MasksRaggedKeysAndDropsRaggedRows) {
  for (const int dim : {64, 128}) {
    expect_gradients(backward({.queries = 77, .keys = 137, .dim = dim}));
    expect_gradients(backward({.batch = 2, .heads = 2, .queries = 67, .keys = 65, .dim = dim}));
    expect_gradients(backward({.queries = 3, .keys = 5, .dim = dim}));
  }
}

TEST(AttentionBackward, HidesTheFuture) {
  for (const std::int64_t length : {40, 65, 128})
    for (const std::int64_t dim : {64, 128})
      expect_gradients(
          backward({.heads = 2, .queries = length, .keys = length, .dim = dim, .causal = true}));
}

TEST(AttentionBackward, SumsTheGradientsOfKeysOverTheHeadsOfAGroup) {
  expect_gradients(
      grouped({.batch = 2, .heads = 6, .kv_heads = 2, .queries = 70, .keys = 90, .dim = 64}));
  expect_gradients(grouped({.heads = 4, .kv_heads = 1, .queries = 40, .keys = 130, .dim = 128}));
  for (const std::int64_t dim : {64, 128})
    expect_gradients(grouped(
        {.heads = 3, .kv_heads = 1, .queries = 150, .keys = 150, .dim = dim, .causal = true}));
}

TEST(AttentionBackward, ComputesInBf16) {
  expect_gradients(backward({.batch = 2,
                             .heads = 2,
                             .queries = 100,
                             .keys = 100,
                             .dim = 64,
                             .causal = true,
                             .element = Element::kBf16}));
}

TEST(AttentionBackward, IsNotThatOfAnotherMask) {
  const AttentionProblem problem = backward({.queries = 64, .keys = 64, .causal = true});
  AttentionProblem other = problem;
  other.causal = false;
  for (const values::TensorResult& result :
       gradients_of(problem, values::attention_backward_operation(other)).results)
    EXPECT_GT(result.outside, 100) << result.shape.name;
}

/// Multiply-adds on tensor cores of all warps, with loops of constant trips.
std::int64_t matrix_macs(const isa::KernelLaunch& launch) {
  const isa::WarpProgram& program = launch.programs.front();
  std::int64_t macs = 0;
  for (int i = 0; i < static_cast<int>(program.instructions.size()); ++i) {
    const isa::Opcode opcode = program.instructions[static_cast<std::size_t>(i)].opcode;
    std::int64_t times = isa::is_mma(opcode) ? launch.cta_count() * launch.warps_per_cta : 0;
    for (const isa::Loop& loop : program.loops)
      if (loop.first <= i && i <= loop.last) times *= loop.trips.constant;
    macs += times * isa::warp_macs(opcode);
  }
  return macs;
}

TEST(AttentionBackward, TakesThreeAndFourProducts) {
  for (const int dim : {64, 128}) {
    const auto stream =
        make_attention(backward({.batch = 2, .heads = 3, .queries = 128, .keys = 256, .dim = dim}),
                       kernels::testing::a100());
    const std::int64_t product = std::int64_t{2} * 3 * 128 * 256 * dim;
    EXPECT_EQ(matrix_macs(stream[0]), 0);
    EXPECT_EQ(matrix_macs(stream[1]), 3 * product);
    EXPECT_EQ(matrix_macs(stream[2]), 4 * product);
  }
}

TEST(AttentionBackward, IsRefusedWhereNoKernelFits) {
  const kernels::Target a100 = kernels::testing::a100();
  EXPECT_NE(why_no_attention(backward({.queries = 64, .keys = 64, .dim = 192}), a100), "");
  EXPECT_NE(why_no_attention(backward({.queries = 64, .keys = 128, .causal = true}), a100), "");
  EXPECT_NE(why_no_attention(backward({.queries = 64, .keys = 64}), kernels::testing::v100()), "");
  kernels::Target few_registers = a100;
  few_registers.max_registers_per_thread = 200;  // enough for dQ, not for dK and dV
  EXPECT_EQ(why_no_attention(backward({.queries = 64, .keys = 64, .dim = 128}), few_registers),
            "the tile needs 224 registers per thread, allowed 200");
}

/// The sum of O * dO for the inputs of a backward pass, from the definition of the forward one.
double loss(AttentionProblem problem, const TensorElements& inputs) {
  problem.pass = kernels::AttentionPass::kForward;
  double sum = 0;
  values::attention_operation(problem).evaluate(
      {inputs[0], inputs[1], inputs[2]},
      [&](std::size_t result, std::int64_t i, double exact, double) {
        if (result == 0) sum += exact * inputs[5][static_cast<std::size_t>(i)];
      });
  return sum;
}

void expect_derivative(const AttentionProblem& problem) {
  const auto operation = values::attention_backward_operation(problem);
  TensorElements inputs;
  for (const values::TensorShape& shape : operation.inputs)
    inputs.push_back(values::draw(values::Distribution::kNormal, values::NumberKind::kReal, 5,
                                  static_cast<std::uint32_t>(inputs.size()),
                                  static_cast<std::size_t>(shape.elements())));
  operation.derive(inputs, [] {});
  operation.evaluate(inputs, [&](std::size_t result, std::int64_t i, double exact, double) {
    constexpr double kStep = 1e-5;
    TensorElements shifted = inputs;
    double& element = shifted[result][static_cast<std::size_t>(i)];
    element += kStep;
    const double above = loss(problem, shifted);
    element -= 2 * kStep;
    EXPECT_NEAR(exact, (above - loss(problem, shifted)) / (2 * kStep), 1e-6) << result << " " << i;
  });
}

TEST(AttentionBackward, DefinitionIsTheDerivativeOfTheForwardOne) {
  for (const std::int64_t kv_heads : {2, 1})
    expect_derivative(grouped(
        {.heads = 2, .kv_heads = kv_heads, .queries = 3, .keys = 3, .dim = 4, .causal = true}));
}

/// So many products that evaluations leave rows out; equal keys weigh equally.
TEST(AttentionBackward, ReadsOAndLseOfEveryRowOfALargeProblem) {
  constexpr std::int64_t kLength = 2048;
  const auto operation = values::attention_backward_operation(
      backward({.heads = 2, .queries = kLength, .keys = kLength, .dim = 64, .causal = true}));
  TensorElements inputs;
  for (const values::TensorShape& shape : operation.inputs)
    inputs.emplace_back(static_cast<std::size_t>(shape.elements()), shape.name == "V" ? 1.0 : 0.0);
  operation.derive(inputs, [] {});
  const std::vector<double>& o = inputs[3];
  const std::vector<double>& log_sums = inputs[4];
  EXPECT_EQ(std::ranges::count_if(o, [](double one) { return std::abs(one - 1) < 1e-9; }),
            std::ssize(o));
  ASSERT_EQ(std::ssize(log_sums), 2 * kLength);
  for (std::int64_t i = 0; i < 2 * kLength; ++i)
    ASSERT_DOUBLE_EQ(log_sums[static_cast<std::size_t>(i)],
                     std::log(static_cast<double>(i % kLength + 1)))
        << i;
}

}  // namespace
}  // namespace tcsim::functional::testing
