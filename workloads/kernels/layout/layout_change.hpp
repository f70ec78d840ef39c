#pragma once

#include "workloads/kernels/gemm.hpp"

namespace tcsim::kernels {

/// Consecutive matrices to transpose: from[batch][row][column] with source_pitch elements from row
/// to row becomes to[batch][column][row] with target_pitch, with zeros after the last row. With
/// rows as channels it is nchwToNhwc, with rows as pixels nhwcToNchw.
struct LayoutChange {
  std::int64_t batch = 1;
  std::int64_t stored = 1;  ///< batches that `from` has; the others become zeros
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  std::int64_t source_pitch = 1;
  std::int64_t target_pitch = 1;
  Element element = Element::kFp16;  ///< of 1, 2 or 4 bytes
};

/// The kernel: CTAs of 256 threads transpose tiles of 64 x 64 through shared memory; bytes are
/// transposed four rows at a time in registers (they require multiples of four rows and columns,
/// and `stored` and target_pitch equal to `batch` and `rows`). Reads buffer 0, writes buffer 1.
/// Without buffers.
isa::KernelLaunch make_layout_change(const LayoutChange& change, const std::string& name);

}  // namespace tcsim::kernels
