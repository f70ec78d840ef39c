#pragma once

#include "workloads/kernels/vector/lane_vectors.hpp"
#include "workloads/kernels/vector/vector.hpp"

namespace tcsim::kernels {

/// The kernel of an operation with sums over rows. One warp holds each row in registers (up to 1024
/// columns; four rows per CTA), or a CTA of 4 to 32 warps does, which combine their parts in shared
/// memory. The caller fills in the buffers: X, (gamma, beta), D. `scale` multiplies X first.
/// `causal_rows` > 0 (softmax only): row r hides the columns after r mod causal_rows + cols -
/// causal_rows. `quantises` (only softmax of INT32): D holds 127 times the ratio of each element to
/// the largest of its row, rounded to INT8. A further buffer holds for each row the FP32 factor for
/// sums of D over the row: quantised_step over 127 times the row's sum.
struct RowKernel {
  VectorOperation operation = VectorOperation::kSoftmax;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  Element element = Element::kFp16;
  double scale = 1;
  std::int64_t causal_rows = 0;
  bool quantises = false;
  double quantised_step = 1;
};
isa::KernelLaunch make_row_kernel(const RowKernel& kernel, const VectorUnit& unit);

/// The longest row that registers hold.
inline constexpr std::int64_t kMostColumns = 32768;

}  // namespace tcsim::kernels
