#pragma once

#include "sim/values/tensor_operation.hpp"

namespace tcsim::values {

/// The product `problem` with its epilogue: exact sums of exact products, then activation(sum *
/// scale + bias + C) in double precision. Tensors "A" and "B" as they are stored, "scale", "bias",
/// "C", "D".
///
/// The bound of an element counts two units of the accumulator's roundoff times the sum of
/// magnitudes for every product, two roundings of its subnormals, FP32 arithmetic with EX2 and RCP
/// (2^-17 of the largest number behind the sum), and the rounding to the output format; that of the
/// sums too where `slices` take turns at D.
TensorOperation gemm_operation(const kernels::GemmProblem& problem, int slices = 1);

}  // namespace tcsim::values
