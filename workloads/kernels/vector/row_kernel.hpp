#pragma once

#include "workloads/kernels/vector/lane_vectors.hpp"
#include "workloads/kernels/vector/vector.hpp"

namespace tcsim::kernels {

/// The kernel of an operation with sums over rows, each held in the registers of one warp (up to
/// 1024 columns; four rows to a CTA) or of a CTA of 4 to 32 warps, whose parts meet in shared
/// memory. Buffers are filled in by the caller: X, (gamma, beta), D. `scale` multiplies X first;
/// `causal_rows` > 0 (softmax only): row r hides the columns behind r mod causal_rows + cols -
/// causal_rows. `quantises` (softmax of INT32 alone): D holds 127 times what each element of a row
/// is of the largest, rounded to INT8, a further buffer for each row the FP32 number that sums of D
/// over the row are multiplied by, quantised_step over 127 times the row's sum.
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
