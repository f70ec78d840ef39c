#pragma once

#include "sim/values/tensor_operation.hpp"

namespace tcsim::values {

/// The product `problem` with its epilogue: exact sums of exact products, then activation(sum *
/// scale + bias + C) in double precision. Tensors "A" and "B" as stored, "scale", "bias", "C", "D".
///
/// The bound of an element adds up: for every product, two units of the accumulator's roundoff
/// times the sum of magnitudes, and two roundings of the accumulator's subnormals; FP32 arithmetic
/// with EX2 and RCP (2^-17 of the largest number after the sum); and the rounding to the output
/// format, which also applies to the sums if `slices` take turns at D.
TensorOperation gemm_operation(const kernels::GemmProblem& problem, int slices = 1);

}  // namespace tcsim::values
