#pragma once

#include "workloads/kernels/conv/conv.hpp"
#include "workloads/kernels/conv/output_tiles.hpp"
#include "workloads/kernels/vector/lane_vectors.hpp"

namespace tcsim::kernels {

/// A forward convolution by F(m x m, 3 x 3) in four launches over (m + 2)^2 = points products of
/// matrices: x -> V[point][tile][c], w -> U[point][k][c], M[point][tile][k] = V * U^T, M -> y.
struct WinogradShape {
  ConvProblem problem;  ///< forward, NHWC, 3 x 3, stride 1, one group, even c and k
  int outputs = 2;      ///< m
  VectorUnit unit;

  [[nodiscard]] int side() const { return outputs + 2; }
  [[nodiscard]] int points() const { return side() * side(); }
  [[nodiscard]] OutputTiles output_tiles() const { return {problem, side(), outputs, outputs}; }
  [[nodiscard]] std::int64_t tiles() const { return output_tiles().tiles(); }
};

/// Why F(m x m, 3 x 3) does not compute `problem` on a machine with `features`, in one sentence;
/// empty if it does.
std::string why_no_winograd(const ConvProblem& problem, const Features& features);

/// Each thread transforms a pair of channels of one tile, in FP32. The results are rounded to the
/// format of the operands, those of filters to `stored`. Buffer 0 is read, buffer 1 written;
/// without buffers.
isa::KernelLaunch make_winograd_input(const WinogradShape& shape);
isa::KernelLaunch make_winograd_filter(const WinogradShape& shape, Element stored);
/// Reads M in FP32.
isa::KernelLaunch make_winograd_output(const WinogradShape& shape);

}  // namespace tcsim::kernels
