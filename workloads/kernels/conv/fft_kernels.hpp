#pragma once

#include "workloads/kernels/conv/conv.hpp"
#include "workloads/kernels/conv/output_tiles.hpp"
#include "workloads/kernels/vector/lane_vectors.hpp"

namespace tcsim::kernels {

/// A forward convolution by transforms of tiles of 16 x 16 pixels, of which 17 - r by 17 - s give
/// outputs (overlap and save): x -> X[f][tile][part][c], w -> W[f][k, part][part][c], products Y[f]
/// = X[f] W[f]^T, Y[f][tile][part][k] -> y. f numbers 9 x 16 frequencies, because for real pixels
/// the columns after the ninth follow from the others. The parts are real and imaginary, in FP32
/// whatever the tensors' format (cuDNN's pseudo-half configuration). A complex product is computed
/// as a real matrix product of twice the width and depth: four multiply-adds.
struct FftShape {
  static constexpr int kSide = 16;
  static constexpr int kColumns = kSide / 2 + 1;  ///< columns of frequencies
  static constexpr int kFrequencies = kSide * kColumns;

  ConvProblem problem;  ///< forward, NHWC, FP32 or FP16 tensors, stride 1, one group
  VectorUnit unit;

  /// Requires filters of up to kSide x kSide.
  [[nodiscard]] OutputTiles output_tiles() const {
    return {problem, kSide, kSide + 1 - problem.r, kSide + 1 - problem.s};
  }
  [[nodiscard]] std::int64_t tiles() const { return output_tiles().tiles(); }
};

/// A CTA of nine warps transforms one tile of 32 channels, one channel per lane: rows in two
/// rounds, through shared memory, then a column of frequencies by each warp. Buffer 0 is read,
/// buffer 1 written; without buffers.
isa::KernelLaunch make_fft_input(const FftShape& shape);
isa::KernelLaunch make_fft_filter(const FftShape& shape);
isa::KernelLaunch make_fft_output(const FftShape& shape);

}  // namespace tcsim::kernels
