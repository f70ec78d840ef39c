#pragma once

#include <string>

#include "models/isa/launch.hpp"
#include "workloads/kernels/gemm.hpp"

namespace tcsim::kernels {

/// Why no kernel of `tile`, which has WarpRoles::kGemv, computes `problem`; empty if one does.
std::string why_not_gemv(const GemmProblem& problem, const GemmTile& tile, const Target& target);

/// The product of a matrix and a vector on CUDA cores, without name and buffers, which are A, B and
/// D. Each warp makes its own outputs. Its lanes read the row of the matrix and the vector along k,
/// 16 bytes at a time and tile.k elements before they multiply. They add up in FP32 by a chain of
/// FFMAs, and a butterfly of shuffles adds the sums of the lanes. Requires why_not_gemv to be
/// empty.
isa::KernelLaunch make_gemv(const GemmProblem& problem, const GemmTile& tile, const Target& target);

/// Elements that a lane reads at once.
int gemv_vector(Element input);

}  // namespace tcsim::kernels
