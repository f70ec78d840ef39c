#pragma once

#include "workloads/kernels/conv/fft_kernels.hpp"
#include "workloads/kernels/conv/transformed_product.hpp"

namespace tcsim::kernels {

/// Transforms tiles of 16 x 16 pixels and filters through memory, computes one product of complex
/// matrices per frequency on CUDA cores, and transforms the outputs back, like cuDNN's FFT_TILING
/// with tiles of 32 (the smaller side is our choice: a transform fits the registers of a thread).
/// Forward, FP32 or FP16 tensors, FP32 in between.
class FftMethod : public TransformMethod {
 public:
  FftMethod(const ConvProblem& problem, Target target);

  [[nodiscard]] std::string why_not() const override;

 private:
  [[nodiscard]] Transforms transforms() const override;

  FftShape shape_;
};

}  // namespace tcsim::kernels
