#pragma once

#include "sim/values/tensor_operation.hpp"
#include "workloads/kernels/conv/pool.hpp"

namespace tcsim::values {

/// Pooling by its definition in double precision. Tensors "x" and "y". The maximum is exact;
/// averages are FP32 sums, rounded once.
TensorOperation pool_operation(const kernels::PoolProblem& problem);

}  // namespace tcsim::values
