#pragma once

#include <string_view>

#include "sim/tensor_file/tensor.hpp"
#include "sim/values/matrix.hpp"
#include "sim/values/tensor_operation.hpp"
#include "workloads/kernels/gemm.hpp"

namespace tcsim::values {

/// The extents that an operand must have, and their names in messages.
struct OperandShape {
  std::int64_t batch;
  std::int64_t rows;
  std::int64_t columns;
  std::string_view words;  ///< "m x k"
};

/// The numbers of `tensor`, which is rows x columns, or batch x rows x columns. For `element` INT8
/// each must be an integer in range; INT64 must lie between -2^53 and 2^53. Messages begin with
/// `name`. Throws config::ConfigError for a shape that does not fit, or with the place of a number
/// that does not.
Matrix matrix_of(const tensor_file::Tensor& tensor, const OperandShape& shape,
                 kernels::Element element, std::string_view name);

/// Buffer D of a GEMM as a tensor: m x n, or batch x m x n.
tensor_file::Tensor tensor_of_d(const kernels::GemmProblem& problem,
                                const std::vector<std::uint8_t>& d);

/// A result as an array with its extents.
tensor_file::Tensor tensor_of(const TensorShape& shape, const std::vector<std::uint8_t>& bytes);

}  // namespace tcsim::values
