#pragma once

#include "workloads/kernels/conv/conv_method.hpp"
#include "workloads/kernels/conv/implicit_gemm.hpp"

namespace tcsim::kernels {

/// Implicit GEMM: one kernel and, with split-K, the reduction after it.
class ImplicitMethod : public ConvMethod {
 public:
  ImplicitMethod(const ConvProblem& problem, bool is_analytic, Target target,
                 ImplicitGemm::Order order = ImplicitGemm::Order::kNhwc);

  [[nodiscard]] std::string why_not() const override;
  [[nodiscard]] TileMenu menu() const override;
  [[nodiscard]] std::vector<Candidate> candidates() const override;
  [[nodiscard]] double estimate(const GemmTile& tile) const override;
  [[nodiscard]] std::vector<isa::KernelLaunch> stream(const GemmTile& tile) const override;

 private:
  [[nodiscard]] std::string why_no_tile(const GemmTile& tile) const;
  [[nodiscard]] std::vector<GemmTile> tiles() const;

  ImplicitGemm::Order order_;
  ImplicitGemm gemm_;
  std::string reason_;  ///< why there is no recipe
  std::optional<Recipe> recipe_;
};

}  // namespace tcsim::kernels
