#pragma once

#include "workloads/kernels/conv/conv_method.hpp"
#include "workloads/kernels/conv/winograd_kernels.hpp"

namespace tcsim::kernels {

/// Fused Winograd F(2x2, 3x3): a small kernel transforms the filters, another kernel does
/// everything else. Forward, 3 x 3, stride 1, on CUDA cores; FP32 or FP16 tensors, FP32 in between.
class WinogradFusedMethod : public TilelessMethod {
 public:
  WinogradFusedMethod(const ConvProblem& problem, Target target);

  [[nodiscard]] std::string why_not() const override;
  [[nodiscard]] double estimate(const GemmTile& tile) const override;
  [[nodiscard]] std::vector<isa::KernelLaunch> stream(const GemmTile& tile) const override;

 private:
  WinogradShape shape_;
};

}  // namespace tcsim::kernels
