#pragma once

#include "workloads/kernels/conv/conv_method.hpp"

namespace tcsim::kernels {

/// The definition on CUDA cores, without a product of matrices or a workspace: a thread computes up
/// to four filters of one output pixel in FP32, tap after tap and 16 bytes of channels at a time;
/// neighbouring lanes have neighbouring pixels, and the filters of a CTA are the same. Forward,
/// NHWC.
class DirectMethod : public ConvMethod {
 public:
  DirectMethod(const ConvProblem& problem, Target target)
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
