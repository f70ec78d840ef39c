#include "workloads/kernels/conv/winograd_method.hpp"

#include <iterator>

#include "workloads/kernels/conv/conv_buffers.hpp"
#include "workloads/kernels/conv/pair_values.hpp"
#include "workloads/kernels/cost_model.hpp"

namespace tcsim::kernels {

WinogradMethod::WinogradMethod(const ConvProblem& problem, int outputs, Target target)
    : target_(std::move(target)),
      shape_{.problem = problem,
             .outputs = outputs,
             .has_uniform_datapath =
                 target_.architecture != "volta" && target_.architecture != "pascal",
             .has_packing = target_.architecture == "ampere" || target_.architecture == "hopper"},
      product_{.m = shape_.tiles(),
               .n = problem.k,
               .k = problem.c,
               .batch = shape_.points(),
               .input = problem.input,
               .accumulate = Element::kFp32,
               .output = Element::kFp32,
               .unit = problem.unit} {}

std::string WinogradMethod::why_not() const {
  const ConvProblem& p = shape_.problem;
  if (p.pass != ConvPass::kForward) return "Winograd kernels are generated for forward passes only";
  if (p.r != 3 || p.s != 3 || p.stride_h != 1 || p.stride_w != 1)
    return "Winograd transforms are those of 3 x 3 filters with stride 1";
  if (p.groups > 1) return "Winograd kernels are generated for one group only";
  if (!PairValues::knows(p.input) || p.accumulate != Element::kFp32)
    return "Winograd transforms compute in FP32, not in integers or FP16";
  if (p.c % 2 != 0 || p.k % 2 != 0) return "Winograd kernels take even numbers of channels";
  return why_no_kernel(product_, target_);
}

TileMenu WinogradMethod::menu() const {
  return {tiles(),
          [this](const GemmTile& tile) {
            if (tile.split_k > 1) return std::string("the products of Winograd are not split");
            return why_no_tile(product_, tile, target_);
          },
          [this](const GemmTile& a, const GemmTile& b) {
            return is_preferred(a, b, product_, target_);
          }};
}

GemmTile WinogradMethod::choose() const {
  const auto planner = [&](const GemmTile& tile) { return plan_for(product_, tile, target_); };
  return choose_from(tiles(), planner, /*may_split=*/false, target_);
}

double WinogradMethod::estimate(const GemmTile& tile) const {
  constexpr double kDramEfficiency = 0.8;  // cost_model.cpp
  const ConvProblem& p = shape_.problem;
  const auto count = [](std::int64_t elements, Element element) {
    return static_cast<double>(elements) * element_bytes(element);
  };
  const double bytes = count(p.x_elements() + p.w_elements(), p.input) +
                       count(product_.batch * (product_.m + product_.n) * product_.k, p.input) +
                       count(product_.batch * product_.m * product_.n, Element::kFp32) +
                       count(p.y_elements(), p.output);
  return estimate_cycles(product_, tile, target_) + 3 * target_.launch_cycles +
         bytes / (kDramEfficiency * target_.dram_bytes_per_cycle);
}

std::vector<isa::KernelLaunch> WinogradMethod::stream(const GemmTile& tile) const {
  ConvBuffers buffers(shape_.problem);
  const GemmProblem& g = product_;
  const isa::Buffer v = buffers.workspace("v", g.batch * g.m * g.k, g.input);
  const isa::Buffer u = buffers.workspace("u", g.batch * g.n * g.k, g.input);
  const isa::Buffer m = buffers.workspace("m", g.batch * g.m * g.n, g.output);
  std::vector<isa::KernelLaunch> stream;
  stream.push_back(make_winograd_filter(shape_));
  stream.back().buffers = {buffers.w(), u};
  stream.push_back(make_winograd_input(shape_));
  stream.back().buffers = {buffers.x(), v};
  std::vector<isa::KernelLaunch> product = make_gemm_stream(product_, tile, target_);
  product.front().buffers = {as_input(v), as_input(u), m};
  std::ranges::move(product, std::back_inserter(stream));
  stream.push_back(make_winograd_output(shape_));
  stream.back().buffers = {as_input(m), buffers.y()};
  return stream;
}

}  // namespace tcsim::kernels
