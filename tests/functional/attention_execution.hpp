#pragma once

#include <gtest/gtest.h>

#include "sim/values/tensor_values.hpp"
#include "tests/kernels/gemm_check.hpp"
#include "workloads/kernels/attention/attention.hpp"

namespace tcsim::functional::testing {

/// What the kernels of `problem` on an A100 make of normally distributed operands, compared with
/// `operation`.
inline values::TensorValues executed_attention(const kernels::AttentionProblem& problem,
                                               const values::TensorOperation& operation,
                                               std::uint64_t seed) {
  const auto stream = kernels::make_attention(problem, kernels::testing::a100());
  auto values = values::execute_operation(operation, values::Distribution::kNormal, seed,
                                          numerics::Generation::kAmpere, stream);
  EXPECT_TRUE(values.has_value());
  return values.value();
}

}  // namespace tcsim::functional::testing
