#pragma once

#include "workloads/kernels/conv/conv_method.hpp"

namespace tcsim::kernels {

/// One filter per channel on CUDA cores, in FP32 (depthwise_kernel.hpp). Forward, NHWC, groups = c
/// = k.
class DepthwiseMethod : public ConvMethod {
 public:
  DepthwiseMethod(const ConvProblem& problem, Target target)
      : problem_(problem), target_(std::move(target)) {}

  [[nodiscard]] std::string why_not() const override;
  /// It has no product and so no tiles.
  [[nodiscard]] TileMenu menu() const override;
  [[nodiscard]] GemmTile choose() const override { return {}; }
  [[nodiscard]] double estimate(const GemmTile& tile) const override;
  [[nodiscard]] std::vector<isa::KernelLaunch> stream(const GemmTile& tile) const override;

 private:
  ConvProblem problem_;
  Target target_;
};

}  // namespace tcsim::kernels
