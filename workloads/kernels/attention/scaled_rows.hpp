#pragma once

#include "workloads/kernels/gemm.hpp"
#include "workloads/kernels/vector/lane_vectors.hpp"

namespace tcsim::kernels {

/// The kernel after an INT8 product whose rows have scales: D[row][column] = X[row][column] *
/// scale[row]. Its buffers, which the caller adds, are X in INT32, the scales in FP32, D in FP16.
/// Requires `columns` to be a multiple of 4.
isa::KernelLaunch scaled_rows(std::int64_t rows, std::int64_t columns, const VectorUnit& unit);

}  // namespace tcsim::kernels
