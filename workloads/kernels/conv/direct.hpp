#pragma once

#include "workloads/kernels/conv/conv_method.hpp"

namespace tcsim::kernels {

/// The definition on CUDA cores, without a matrix product or a workspace. A thread computes up to
/// four filters of one output pixel in FP32, tap after tap and 16 bytes of channels at a time.
/// Neighbouring lanes have neighbouring pixels, and all threads of a CTA have the same filters.
/// Forward, NHWC.
class DirectMethod : public TilelessMethod {
 public:
  DirectMethod(const ConvProblem& problem, Target target)
      : TilelessMethod(problem, std::move(target), "a direct kernel has no product") {}

  [[nodiscard]] std::string why_not() const override;
  [[nodiscard]] double estimate(const GemmTile& tile) const override;
  [[nodiscard]] std::vector<isa::KernelLaunch> stream(const GemmTile& tile) const override;
};

}  // namespace tcsim::kernels
