#include "workloads/kernels/conv/winograd_fused_method.hpp"

#include "models/isa/cycle.hpp"
#include "workloads/kernels/conv/conv_buffers.hpp"
#include "workloads/kernels/conv/winograd_fused_kernel.hpp"
#include "workloads/kernels/vector/lane_vectors.hpp"

namespace tcsim::kernels {

WinogradFusedMethod::WinogradFusedMethod(const ConvProblem& problem, Target target)
    : TilelessMethod(problem, std::move(target), "the fused Winograd kernel has only one tile"),
      shape_{.problem = problem, .outputs = 2, .unit = vector_unit(target_)} {}

std::string WinogradFusedMethod::why_not() const {
  const ConvProblem& p = problem_;
  if (std::string reason = why_no_winograd(p, target_.features); !reason.empty()) return reason;
  const bool is_known = p.input == Element::kFp32 || p.input == Element::kFp16;
  if (!is_known || p.output != p.input)
    return "the fused Winograd kernel is generated for fp32 and fp16 tensors";
  if (p.c % WinogradFusedKernel::kChannels != 0)
    return "the fused Winograd kernel needs multiples of " +
           std::to_string(WinogradFusedKernel::kChannels) + " channels";
  if (WinogradFusedKernel::kSharedBytes > target_.shared_bytes_per_cta)
    return "the fused Winograd kernel needs " + std::to_string(WinogradFusedKernel::kSharedBytes) +
           " bytes of shared memory, a CTA has " + std::to_string(target_.shared_bytes_per_cta);
  return {};
}

double WinogradFusedMethod::estimate(const GemmTile& /*tile*/) const {
  // Per CTA and eight channels; tcsim's own runs take 6100 on A100, 8500 on V100.
  constexpr double kCyclesOfChannels = 7000;
  constexpr double kFillAndEpilogue = 9800;  // of the same runs
  const std::int64_t ctas = ceil_div<std::int64_t>(shape_.tiles(), WinogradFusedKernel::kTiles) *
                            ceil_div<std::int64_t>(problem_.k, WinogradFusedKernel::kFilters);
  const auto waves = static_cast<double>(ceil_div<std::int64_t>(ctas, target_.sms));
  const auto steps = static_cast<double>(problem_.c) / WinogradFusedKernel::kChannels;
  return target_.launch_cycles + waves * (kFillAndEpilogue + steps * kCyclesOfChannels);
}

std::vector<isa::KernelLaunch> WinogradFusedMethod::stream(const GemmTile& /*tile*/) const {
  const ConvProblem& p = problem_;
  ConvBuffers buffers(p);
  const isa::Buffer u = buffers.workspace("u", shape_.points() * p.k * p.c, Element::kFp32);
  std::vector<isa::KernelLaunch> stream;
  stream.push_back(make_winograd_filter(shape_, Element::kFp32));
  stream.back().buffers = {buffers.w(), u};
  stream.push_back(WinogradFusedKernel::make(shape_));
  stream.back().buffers = {buffers.x(), as_input(u), buffers.y()};
  return stream;
}

}  // namespace tcsim::kernels
