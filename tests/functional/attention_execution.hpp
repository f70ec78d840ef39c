#pragma once

#include <gtest/gtest.h>

#include "sim/values/tensor_values.hpp"
#include "tests/support/targets.hpp"
#include "workloads/kernels/attention/attention.hpp"

namespace tcsim::functional::testing {

/// The backward pass of `problem`; and the same with separate keys for each head.
inline kernels::AttentionProblem grouped(kernels::AttentionProblem problem) {
  problem.pass = kernels::AttentionPass::kBackward;
  return problem;
}
inline kernels::AttentionProblem backward(kernels::AttentionProblem problem) {
  problem.kv_heads = problem.heads;
  return grouped(problem);
}

/// Runs `stream` on normally distributed operands and compares the results with `operation`.
inline values::TensorValues executed_stream(const std::vector<isa::KernelLaunch>& stream,
                                            const values::TensorOperation& operation,
                                            std::uint64_t seed, numerics::Generation generation) {
  auto values =
      values::execute_operation(operation, values::Distribution::kNormal, seed, generation, stream);
  EXPECT_TRUE(values.has_value()) << values.refusal().reason;
  return values.value();
}

/// The same for the kernels of `problem` on an A100.
inline values::TensorValues executed_attention(const kernels::AttentionProblem& problem,
                                               const values::TensorOperation& operation,
                                               std::uint64_t seed) {
  return executed_stream(kernels::make_attention(problem, kernels::testing::a100()), operation,
                         seed, numerics::Generation::kAmpere);
}

/// All gradients within the bounds of `problem`, without races.
inline void expect_bounded_gradients(const values::TensorValues& values,
                                     const kernels::AttentionProblem& problem) {
  SCOPED_TRACE("heads " + std::to_string(problem.heads) + " queries " +
               std::to_string(problem.queries) + " keys " + std::to_string(problem.keys) + " dim " +
               std::to_string(problem.dim) + (problem.causal ? " causal" : ""));
  EXPECT_EQ(values.racing_bytes, 0);
  EXPECT_EQ(values.results.size(), 3U);
  for (const values::TensorResult& result : values.results) {
    EXPECT_EQ(result.outside, 0) << result.shape.name;
    EXPECT_EQ(result.arithmetic.elements, result.shape.elements()) << result.shape.name;
    EXPECT_LT(result.arithmetic.norm_relative,
              problem.element == kernels::Element::kFp16 ? 2e-3 : 2e-2)
        << result.shape.name;
  }
}

}  // namespace tcsim::functional::testing
