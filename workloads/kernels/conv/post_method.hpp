#pragma once

#include "workloads/kernels/conv/conv_method.hpp"

namespace tcsim::kernels {

/// A forward method followed by kernels for the steps that it does not do itself: scale, bias,
/// residual and relu unless they are fused, and the max-pool. NHWC only.
class PostMethod : public ConvMethod {
 public:
  PostMethod(const ConvProblem& problem, ConvAlgorithm algorithm, Target target);

  [[nodiscard]] std::string why_not() const override;
  [[nodiscard]] TileMenu menu() const override { return inner_->menu(); }
  [[nodiscard]] std::vector<Candidate> candidates() const override { return inner_->candidates(); }
  [[nodiscard]] double estimate(const GemmTile& tile) const override;
  [[nodiscard]] std::vector<isa::KernelLaunch> stream(const GemmTile& tile) const override;

 private:
  [[nodiscard]] bool has_kernel_of_its_own() const {
    return problem_.post.changes_values() && !problem_.post.is_fused;
  }

  ConvAlgorithm algorithm_;
  std::unique_ptr<ConvMethod> inner_;
};

}  // namespace tcsim::kernels
