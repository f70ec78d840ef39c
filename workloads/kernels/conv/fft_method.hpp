#pragma once

#include "workloads/kernels/conv/conv_method.hpp"
#include "workloads/kernels/conv/fft_kernels.hpp"

namespace tcsim::kernels {

/// Tiles of 16 x 16 pixels and filters transformed through memory, one product of complex matrices
/// per frequency on CUDA cores, outputs transformed back, as cuDNN's FFT_TILING with tiles of 32
/// (the smaller side is our choice: a transform fits the registers of a thread). Forward, FP32 or
/// FP16 tensors, FP32 between.
class FftMethod : public ConvMethod {
 public:
  FftMethod(const ConvProblem& problem, Target target);

  [[nodiscard]] std::string why_not() const override;
  [[nodiscard]] TileMenu menu() const override;
  [[nodiscard]] GemmTile choose() const override;
  [[nodiscard]] double estimate(const GemmTile& tile) const override;
  [[nodiscard]] std::vector<isa::KernelLaunch> stream(const GemmTile& tile) const override;

 private:
  Target target_;  ///< with the rate of FP32 products
  FftShape shape_;
  GemmProblem product_;  ///< Y[frequency][tile][part, k] = X[frequency][tile][part, c] W^T
};

}  // namespace tcsim::kernels
