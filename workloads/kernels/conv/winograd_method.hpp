#pragma once

#include "workloads/kernels/conv/conv_method.hpp"
#include "workloads/kernels/conv/winograd_kernels.hpp"

namespace tcsim::kernels {

/// Non-fused Winograd (kernels.md 5.2): inputs and filters transformed through memory, one product
/// of matrices per point of a tile, outputs transformed back. Forward, 3 x 3, stride 1.
class WinogradMethod : public ConvMethod {
 public:
  WinogradMethod(const ConvProblem& problem, int outputs, Target target);

  [[nodiscard]] std::string why_not() const override;
  [[nodiscard]] TileMenu menu() const override;
  [[nodiscard]] GemmTile choose() const override;
  [[nodiscard]] double estimate(const GemmTile& tile) const override;
  [[nodiscard]] std::vector<isa::KernelLaunch> stream(const GemmTile& tile) const override;

 private:
  Target target_;
  WinogradShape shape_;
  GemmProblem product_;  ///< M[point][tile][k] = V[point][tile][c] * U[point][k][c]
};

}  // namespace tcsim::kernels
