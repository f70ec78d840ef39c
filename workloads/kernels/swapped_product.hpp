#pragma once

#include "workloads/kernels/gemm.hpp"

namespace tcsim::kernels {

/// D^T = B^T A^T: B^T, n x k, is the first operand. D stays where it is, so that columns of the
/// product are contiguous in memory. Requires an epilogue without C, and no groups, packed weights,
/// images, sparse A or block scales.
GemmProblem swapped(GemmProblem problem);

/// The same part of D, in rows and columns of that product.
GemmTile swapped(GemmTile tile);

}  // namespace tcsim::kernels
