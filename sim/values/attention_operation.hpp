#pragma once

#include "sim/values/tensor_operation.hpp"
#include "workloads/kernels/attention/attention.hpp"

namespace tcsim::values {

/// Attention by its definition in double precision, whose own error is far below every bound.
/// Tensors "Q", "K", "V", "O" and, fused, "LSE".
///
/// With u the unit roundoff of the elements, an element of O may be off by 2.5 u times the sum of
/// probability times |v| (probabilities and O are rounded once each), by what FP32 sums leave in
/// the scores, and by subnormal probabilities; unfused also by u times the largest score, because
/// scores are stored. LSE: the scores' error and 1e-5 of it.
TensorOperation attention_operation(const kernels::AttentionProblem& problem);

}  // namespace tcsim::values
