#pragma once

#include "sim/values/tensor_operation.hpp"
#include "workloads/kernels/attention/attention.hpp"

namespace tcsim::values {

/// Attention by its definition in double precision, whose own error is far below every bound.
/// Tensors "Q", "K", "V", "O" and, if fused, "LSE".
///
/// With u the unit roundoff of the elements, the allowed error of an element of O is 2.5 u times
/// the sum of probability times |v| (probabilities and O are rounded once each), plus the error of
/// the scores from FP32 sums, plus that of subnormal probabilities. Unfused, u times the largest
/// score is added, because scores are stored. LSE: the scores' error and 1e-5 of it.
TensorOperation attention_operation(const kernels::AttentionProblem& problem);

/// The `evaluate` of that operation for all elements, however long it takes.
void evaluate_all_rows(const kernels::AttentionProblem& problem, const TensorElements& inputs,
                       const ElementVisit& visit);

}  // namespace tcsim::values
