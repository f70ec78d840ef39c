#pragma once

#include "sim/values/tensor_operation.hpp"
#include "workloads/kernels/conv/conv.hpp"

namespace tcsim::values {

/// The convolution `problem` by its definition: exact sums of exact products, then scale, bias,
/// relu and pool. Tensors "x", "w", "y", "scale" and "bias" in storage order.
///
/// The bound of an element counts for every product one rounding of the sum of magnitudes and one
/// rounding of a subnormal number in the accumulator's format (two units, as tensor cores
/// truncate), and for every store a rounding to the format of the result. For Winograd's F(2x2,
/// 3x3) it adds the norms of the transforms times two roundings of transformed operands; for F(4x4,
/// 3x3), whose norms overestimate by far, 64 units of roundoff of the largest possible sum (an
/// assumption).
TensorOperation conv_operation(const kernels::ConvProblem& problem,
                               kernels::ConvAlgorithm algorithm);

}  // namespace tcsim::values
