#pragma once

#include "workloads/kernels/conv/transformed_product.hpp"
#include "workloads/kernels/conv/winograd_kernels.hpp"

namespace tcsim::kernels {

/// Non-fused Winograd (kernels.md 5.2): transforms inputs and filters through memory, computes one
/// matrix product per point of a tile, transforms outputs back. Forward, 3 x 3, stride 1.
class WinogradMethod : public TransformMethod {
 public:
  WinogradMethod(const ConvProblem& problem, int outputs, Target target);

  [[nodiscard]] std::string why_not() const override;

 private:
  [[nodiscard]] Transforms transforms() const override;

  WinogradShape shape_;
};

}  // namespace tcsim::kernels
