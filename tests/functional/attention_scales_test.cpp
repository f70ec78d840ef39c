#include <gtest/gtest.h>

#include "sim/values/attention_operation.hpp"
#include "sim/values/tensor_values.hpp"
#include "tests/functional/attention_execution.hpp"
#include "tests/support/targets.hpp"

namespace tcsim::functional::testing {
namespace {

using kernels::AttentionProblem;

AttentionProblem with_scales(AttentionProblem problem) {
  problem.element = kernels::Element::kInt8;
  problem.has_block_scales = true;
  return problem;
}

values::TensorValues scaled_values_of(const AttentionProblem& problem,
                                      const values::TensorOperation& operation) {
  return executed_attention(problem, operation, /*seed=*/7);
}

void expect_right(const AttentionProblem& problem) {
  const auto values = scaled_values_of(problem, values::attention_operation(problem));
  EXPECT_EQ(values.racing_bytes, 0);
  for (const values::TensorResult& result : values.results) {
    EXPECT_EQ(result.outside, 0) << result.shape.name << " dim " << problem.dim;
    EXPECT_LT(result.arithmetic.norm_relative, 0.01) << result.shape.name << " dim " << problem.dim;
  }
}

TEST(AttentionScales, OfRowsAndOfBlocksOfKeysEnterTheSums) {
  for (const std::int64_t dim : {64, 128, 256})
    expect_right(with_scales({.queries = 130, .keys = 200, .dim = dim}));
  expect_right(with_scales({.batch = 2,
                            .heads = 4,
                            .kv_heads = 2,
                            .queries = 150,
                            .keys = 150,
                            .dim = 64,
                            .causal = true}));
  expect_right(with_scales({.heads = 8, .kv_heads = 2, .queries = 1, .keys = 300, .dim = 64}));
}

TEST(AttentionScales, AreNotOneStaticScale) {
  const AttentionProblem problem = with_scales({.queries = 64, .keys = 128, .dim = 64});
  AttentionProblem other = problem;
  other.has_block_scales = false;
  auto operation = values::attention_operation(problem);
  operation.evaluate = values::attention_operation(other).evaluate;
  for (const values::TensorResult& result : scaled_values_of(problem, operation).results)
    EXPECT_GT(result.outside, 10) << result.shape.name;
}

TEST(AttentionScales, AreRefusedWhereNoKernelTakesThem) {
  AttentionProblem problem = with_scales({.queries = 64, .keys = 64, .dim = 64});
  EXPECT_EQ(kernels::why_no_attention(problem, kernels::testing::a100()), "");
  problem.block_rows = 128;
  problem.block_keys = 32;
  EXPECT_EQ(kernels::why_no_attention(problem, kernels::testing::a100()),
            "scales of blocks need blocks of 64 keys");
  problem.block_rows = problem.block_keys = 0;
  problem.element = kernels::Element::kFp16;
  EXPECT_EQ(kernels::why_no_attention(problem, kernels::testing::a100()),
            "scales of blocks need a fused forward pass of int8");
}

}  // namespace
}  // namespace tcsim::functional::testing
