#pragma once

#include <memory>
#include <string>
#include <vector>

#include "workloads/kernels/conv/conv_method.hpp"
#include "workloads/kernels/library.hpp"

namespace tcsim::kernels {

/// A forward convolution as a warpgroup product D[pixel][k] = x[pixel][tap, c] * w[k][tap, c]
/// (warp_specialised.hpp) whose pixels are loaded by TMA in im2col mode: cuDNN's sm90_xmma_fprop.
class TmaMethod : public ConvMethod {
 public:
  TmaMethod(const ConvProblem& problem, Target target);

  [[nodiscard]] std::string why_not() const override;
  [[nodiscard]] TileMenu menu() const override;
  [[nodiscard]] std::vector<Candidate> candidates() const override;
  [[nodiscard]] double estimate(const GemmTile& tile) const override;
  [[nodiscard]] std::vector<isa::KernelLaunch> stream(const GemmTile& tile) const override;

 private:
  [[nodiscard]] std::string why_no_tile(const GemmTile& tile) const;
  [[nodiscard]] std::vector<GemmTile> tiles() const;

  GemmProblem product_;
  std::string reason_;  ///< why there is no kernel, whatever the tile
  std::shared_ptr<const KernelFamily> family_;
};

}  // namespace tcsim::kernels
