#include "workloads/kernels/conv/fft_method.hpp"

#include "workloads/kernels/conv/conv_buffers.hpp"
#include "workloads/kernels/conv/transformed_product.hpp"

namespace tcsim::kernels {

FftMethod::FftMethod(const ConvProblem& problem, Target target)
    : target_(std::move(target)),
      shape_{.problem = problem,
             .has_uniform_datapath = target_.features.uniform_datapath,
             .has_packing = target_.features.packed_conversion},
      product_{.m = shape_.tiles(),
               .n = 2 * problem.k,
               .k = 2 * problem.c,
               .batch = FftShape::kFrequencies,
               .input = Element::kFp32,
               .accumulate = Element::kFp32,
               .output = Element::kFp32,
               .unit = Unit::kCudaCore} {
  if (problem.unit == Unit::kTensor) target_.macs_per_cycle_per_sm = target_.fp32_lanes;
}

std::string FftMethod::why_not() const {
  const ConvProblem& p = shape_.problem;
  if (p.pass != ConvPass::kForward) return "FFT kernels are generated for forward passes only";
  if (p.r > FftShape::kSide / 2 || p.s > FftShape::kSide / 2)
    return "FFT tiles of 16 x 16 pixels take filters of up to 8 x 8";
  if (p.stride_h != 1 || p.stride_w != 1 || p.groups > 1 || p.is_dilated())
    return "FFT kernels are generated for stride 1, one group and filters without dilation only";
  const bool is_known = p.input == Element::kFp32 || p.input == Element::kFp16;
  if (!is_known || p.output != p.input || p.accumulate != Element::kFp32)
    return "FFT kernels are generated for fp32 and fp16 tensors and sums in fp32";
  return why_no_kernel(product_, target_);
}

TileMenu FftMethod::menu() const { return product_menu(product_, target_); }

GemmTile FftMethod::choose() const { return choose_product_tile(product_, target_); }

double FftMethod::estimate(const GemmTile& tile) const {
  return estimate_transformed(shape_.problem, product_, tile, target_);
}

std::vector<isa::KernelLaunch> FftMethod::stream(const GemmTile& tile) const {
  return transformed_stream(
      shape_.problem, product_, tile, target_,
      {make_fft_filter(shape_), make_fft_input(shape_), make_fft_output(shape_)});
}

}  // namespace tcsim::kernels
