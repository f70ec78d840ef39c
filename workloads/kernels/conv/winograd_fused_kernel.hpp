#pragma once

#include "workloads/kernels/conv/winograd_kernels.hpp"

namespace tcsim::kernels {

/// F(2x2, 3x3) on CUDA cores in one kernel after the transform of the filters (kernels.md 5.2; Yan,
/// Wang, Chu 2020). A CTA of 256 threads computes 32 tiles of 64 filters, eight channels at a time.
/// Every thread transforms one tile of one channel on the way into shared memory. Each warp
/// multiplies at two of the 16 points. The sums go through shared memory to the threads that
/// transform them back.
struct WinogradFusedKernel {
  static constexpr int kTiles = 32;
  static constexpr int kFilters = 64;
  static constexpr int kChannels = 8;
  static constexpr int kSharedBytes = 51200;

  /// Its buffers, which the caller adds, are x, U[point][k][c] in FP32, y. Requires FP32 or FP16
  /// tensors and c a multiple of kChannels.
  static isa::KernelLaunch make(const WinogradShape& shape);
};

}  // namespace tcsim::kernels
