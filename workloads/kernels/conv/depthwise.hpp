#pragma once

#include "workloads/kernels/conv/conv_method.hpp"

namespace tcsim::kernels {

/// One filter per channel on CUDA cores, in FP32 (depthwise_kernel.hpp). Forward, NHWC, groups = c
/// = k.
class DepthwiseMethod : public TilelessMethod {
 public:
  DepthwiseMethod(const ConvProblem& problem, Target target)
      : TilelessMethod(problem, std::move(target), "a depthwise kernel has no product") {}

  [[nodiscard]] std::string why_not() const override;
  [[nodiscard]] double estimate(const GemmTile& tile) const override;
  [[nodiscard]] std::vector<isa::KernelLaunch> stream(const GemmTile& tile) const override;
};

}  // namespace tcsim::kernels
