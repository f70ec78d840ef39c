#pragma once

#include "workloads/kernels/conv/conv_method.hpp"

namespace tcsim::kernels {

/// Convolutions by products of transformed tensors, one per point of a tile, not split along k:
/// what Winograd and FFT have in common.
class TransformMethod : public ConvMethod {
 public:
  [[nodiscard]] TileMenu menu() const override;
  [[nodiscard]] std::vector<Candidate> candidates() const override;
  /// The product, four launches, and every tensor through DRAM.
  [[nodiscard]] double estimate(const GemmTile& tile) const override;
  /// The four launches with their buffers: x, w and y, and the transformed "v" (of x), "u" (of w)
  /// and "m" (of y).
  [[nodiscard]] std::vector<isa::KernelLaunch> stream(const GemmTile& tile) const override;

 protected:
  using ConvMethod::ConvMethod;

  /// Kernels around the product; without buffers.
  struct Transforms {
    isa::KernelLaunch filter;
    isa::KernelLaunch input;
    isa::KernelLaunch output;
  };
  [[nodiscard]] virtual Transforms transforms() const = 0;

  GemmProblem product_;  ///< m = v * u^T for every point; set by the constructor of the method
};

}  // namespace tcsim::kernels
