#pragma once

#include "workloads/kernels/conv/conv_method.hpp"

namespace tcsim::kernels {

/// A method for NHWC tensors between kernels that change the layout: of the inputs before it, of
/// the result after it (kernels.md 5.1). Without groups, channels are padded with zeros to vectors
/// of 16 bytes. A forward implicit product writes NCHW itself, as cuDNN's nhwc2nchw kernels do;
/// make_nchw_method also has one that reads NCHW.
class NchwMethod : public ConvMethod {
 public:
  NchwMethod(const ConvProblem& problem, ConvAlgorithm algorithm, Target target);

  /// True for forward implicit products, which write y in NCHW.
  static bool writes_itself(const ConvProblem& problem, ConvAlgorithm algorithm);

  [[nodiscard]] std::string why_not() const override;
  [[nodiscard]] TileMenu menu() const override { return inner_->menu(); }
  [[nodiscard]] std::vector<Candidate> candidates() const override { return inner_->candidates(); }
  [[nodiscard]] double estimate(const GemmTile& tile) const override;
  [[nodiscard]] std::vector<isa::KernelLaunch> stream(const GemmTile& tile) const override;

 private:
  bool writes_result_;  ///< the product leaves its result in NCHW
  ConvProblem padded_;  ///< in NHWC
  std::unique_ptr<ConvMethod> inner_;
};

/// The cheaper of two ways for NCHW tensors: NchwMethod or, for implicit products of whole 16-byte
/// vectors of channels, one kernel that gathers pixels of planes. It gathers them one by one if
/// neighbouring pixels are not the ones that a row of the product needs.
std::unique_ptr<ConvMethod> make_nchw_method(const ConvProblem& problem, ConvAlgorithm algorithm,
                                             const Target& target);

}  // namespace tcsim::kernels
