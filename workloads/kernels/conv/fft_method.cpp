#include "workloads/kernels/conv/fft_method.hpp"

#include "workloads/kernels/vector/lane_vectors.hpp"

namespace tcsim::kernels {
namespace {

Target with_fp32_rate(Target target, const ConvProblem& problem) {
  if (problem.unit == Unit::kTensor) target.macs_per_cycle_per_sm = target.fp32_lanes;
  return target;
}

bool fits_tiles(const ConvProblem& problem) {
  return problem.r <= FftShape::kSide / 2 && problem.s <= FftShape::kSide / 2;
}

}  // namespace

FftMethod::FftMethod(const ConvProblem& problem, Target target)
    : TransformMethod(problem, with_fp32_rate(std::move(target), problem)),
      shape_{.problem = problem, .unit = vector_unit(target_)} {
  // Y[frequency][tile][part, k] = X[frequency][tile][part, c] W^T
  product_ = {.m = fits_tiles(problem) ? shape_.tiles() : 0,  // otherwise refused
              .n = 2 * problem.k,
              .k = 2 * problem.c,
              .batch = FftShape::kFrequencies,
              .input = Element::kFp32,
              .accumulate = Element::kFp32,
              .output = Element::kFp32,
              .unit = Unit::kCudaCore};
}

std::string FftMethod::why_not() const {
  const ConvProblem& p = problem_;
  if (p.pass != ConvPass::kForward) return "FFT kernels are generated for forward passes only";
  if (!fits_tiles(p)) return "FFT tiles of 16 x 16 pixels allow filters of up to 8 x 8";
  if (p.stride_h != 1 || p.stride_w != 1 || p.groups > 1 || p.is_dilated())
    return "FFT kernels are generated for stride 1, one group and filters without dilation only";
  const bool is_known = p.input == Element::kFp32 || p.input == Element::kFp16;
  if (!is_known || p.output != p.input || p.accumulate != Element::kFp32)
    return "FFT kernels are generated for fp32 and fp16 tensors and sums in fp32";
  return why_no_kernel(product_, target_);
}

TransformMethod::Transforms FftMethod::transforms() const {
  return {make_fft_filter(shape_), make_fft_input(shape_), make_fft_output(shape_)};
}

}  // namespace tcsim::kernels
