#pragma once

#include "workloads/kernels/conv/conv_method.hpp"
#include "workloads/kernels/kernel_plan.hpp"

namespace tcsim::kernels {

/// Writes the patches of x to memory, then computes a matrix product: a forward pass on NHWC
/// tensors without groups.
class Im2colMethod : public ConvMethod {
 public:
  Im2colMethod(const ConvProblem& problem, Target target);

  [[nodiscard]] std::string why_not() const override;
  [[nodiscard]] TileMenu menu() const override;
  [[nodiscard]] std::vector<Candidate> candidates() const override;
  [[nodiscard]] double estimate(const GemmTile& tile) const override;
  [[nodiscard]] std::vector<isa::KernelLaunch> stream(const GemmTile& tile) const override;

 private:
  GemmProblem product_;  ///< patches [pixel][r, s, c] times filters [k][r, s, c]
};

}  // namespace tcsim::kernels
