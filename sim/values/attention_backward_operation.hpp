#pragma once

#include "sim/values/tensor_operation.hpp"
#include "workloads/kernels/attention/attention.hpp"

namespace tcsim::values {

/// The gradients of attention as functions of "Q", "K", "V", "O", "LSE" and "dO", in double
/// precision: P = exp(Q K^T / sqrt(dim) - LSE), dV = P^T dO, dS = P (dO V^T - rows of O dO), dQ =
/// dS K / sqrt(dim), dK = dS^T Q / sqrt(dim). O and LSE are computed from Q, K and V before
/// rounding.
///
/// The bound of an element adds up one rounding of every P and dS to the elements' format, the FP32
/// errors of scores, products and sums, and the rounding of the gradient.
TensorOperation attention_backward_operation(const kernels::AttentionProblem& problem);

}  // namespace tcsim::values
