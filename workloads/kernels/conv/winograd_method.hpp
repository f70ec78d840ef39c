#pragma once

#include "workloads/kernels/conv/transformed_product.hpp"
#include "workloads/kernels/conv/winograd_kernels.hpp"

namespace tcsim::kernels {

/// Non-fused Winograd (kernels.md 5.2): inputs and filters transformed through memory, one product
/// of matrices per point of a tile, outputs transformed back. Forward, 3 x 3, stride 1.
class WinogradMethod : public TransformMethod {
 public:
  WinogradMethod(const ConvProblem& problem, int outputs, Target target);

  [[nodiscard]] std::string why_not() const override;

 private:
  [[nodiscard]] Transforms transforms() const override;

  WinogradShape shape_;
};

}  // namespace tcsim::kernels
