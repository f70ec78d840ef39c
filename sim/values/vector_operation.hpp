#pragma once

#include "sim/values/tensor_operation.hpp"
#include "workloads/kernels/vector/vector.hpp"

namespace tcsim::values {

/// The vector operation by its definition in double precision. Tensors "X", "Y", "G", "B", "D".
///
/// Results are rounded once; FP32 arithmetic with EX2, RCP and RSQ (2^-22 each) stays within 2^-17
/// of the largest intermediate value. INT8 results are exact, except for ties that FP32 cannot
/// distinguish.
TensorOperation vector_operation(const kernels::VectorProblem& problem);

}  // namespace tcsim::values
