#pragma once

#include "workloads/kernels/program_builder.hpp"
#include "workloads/kernels/vector/vector_operation.hpp"

namespace tcsim::kernels {

/// Registers of one element of an element-wise operation, in FP32.
struct ElementRegisters {
  int x;        ///< becomes D
  int y;        ///< of the second operand, if there is one
  int scratch;  ///< free
};

/// Appends the instructions that compute D from X and Y. Requires an operation that does not sum
/// over rows.
void append_arithmetic(VectorOperation operation, const ElementRegisters& registers,
                       Instructions& ops);

}  // namespace tcsim::kernels
