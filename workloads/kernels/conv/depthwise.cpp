#include "workloads/kernels/conv/depthwise.hpp"

#include <algorithm>

#include "workloads/kernels/conv/conv_buffers.hpp"
#include "workloads/kernels/conv/depthwise_kernel.hpp"
#include "workloads/kernels/conv/pair_values.hpp"
#include "workloads/kernels/vector/lane_vectors.hpp"

namespace tcsim::kernels {

std::string DepthwiseMethod::why_not() const {
  const ConvProblem& p = problem_;
  if (p.groups != p.c || p.k != p.c) return "depthwise kernels have one filter per channel";
  if (p.is_dilated()) return "depthwise kernels read adjacent pixels, not those of dilated filters";
  if (p.pass != ConvPass::kForward)
    return "depthwise kernels are generated for forward passes only";
  if (!PairValues::knows(p.input) || p.accumulate != Element::kFp32)
    return "depthwise kernels compute in FP32, not in integers or FP16";
  if (p.input == Element::kBf16 && !target_.features.packed_conversion)
    return "only Ampere and later convert to BF16";
  if (p.c % 2 != 0) return "depthwise kernels need even numbers of channels";
  return why_not_narrow(p.output, kPair, target_.features);
}

double DepthwiseMethod::estimate(const GemmTile& /*tile*/) const {
  // Operations of a lane per tap and channel against every byte once.
  constexpr double kOperationsPerTap = 1.5;
  const auto macs = static_cast<double>(problem_.macs());
  const auto bytes = static_cast<double>(problem_.x_bytes() + problem_.y_bytes());
  return kFillCycles + std::max(macs * kOperationsPerTap / (target_.fp32_lanes * target_.sms),
                                dram_cycles(bytes));
}

std::vector<isa::KernelLaunch> DepthwiseMethod::stream(const GemmTile& /*tile*/) const {
  const ConvBuffers buffers(problem_);
  std::vector<isa::KernelLaunch> stream{make_depthwise(problem_, target_)};
  stream.front().buffers = {buffers.x(), buffers.w(), buffers.y()};
  return stream;
}

}  // namespace tcsim::kernels
