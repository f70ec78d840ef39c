#include "sim/run/prepare/conv.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "sim/config/target.hpp"
#include "sim/errors/errors.hpp"
#include "sim/run/prepare/unit.hpp"
#include "sim/run/request_fields.hpp"
#include "sim/values/conv_operation.hpp"

namespace tcsim::run {
namespace {

using kernels::ConvPlan;
using kernels::ConvProblem;
using workload::element_name;

ConvPlan plan_of(const workload::ConvWork& work, const PreparationOptions& options,
                 const kernels::Target& target) {
  const auto refuse = [&](const std::string& reason) {
    const ConvProblem& problem = work.problem;
    throw NotCovered(fmt::format("{}: {}{}: {}", options.machine, conv_title(problem),
                                 output_words({problem.input, problem.accumulate}, problem.output),
                                 reason));
  };
  // A plan as reports print it: the algorithm, then its tile if it has one.
  std::string tile = options.tile;
  std::optional<kernels::ConvAlgorithm> algorithm = kernels::take_algorithm(tile);
  if (!algorithm) algorithm = work.algorithm;
  std::optional<ConvPlan> plan;
  if (algorithm) {
    const std::string reason = why_no_conv_kernel(work.problem, *algorithm, target);
    if (!reason.empty()) refuse(fmt::format("{}: {}", name(*algorithm), reason));
    plan = choose_conv_tile(work.problem, *algorithm, target);
  } else {
    plan = choose_conv(work.problem, target);
    if (!plan)
      refuse(why_no_conv_kernel(work.problem, kernels::ConvAlgorithm::kImplicitGemm, target));
  }
  if (tile.empty()) return *plan;
  std::string reason;
  const auto tiled = parse_conv_tile(tile, work.problem, algorithm, target, reason);
  if (!tiled) throw mistake_in("tile", reason);
  return *tiled;
}

}  // namespace

std::string pair_text(std::int64_t h, std::int64_t w) {
  return h == w ? fmt::format("{}", h) : fmt::format("{}x{}", h, w);
}

std::string conv_title(const ConvProblem& p) {
  constexpr const char* kPasses[] = {"fwd", "dgrad", "wgrad"};
  return fmt::format("conv {} {}x{}x{}x{} * {}x{}x{} stride {} pad {}{}{} {}->{} {}",
                     kPasses[static_cast<int>(p.pass)], p.n, p.h, p.w, p.c, p.k, p.r, p.s,
                     pair_text(p.stride_h, p.stride_w), pair_text(p.pad_h, p.pad_w),
                     p.is_dilated() ? fmt::format(" dil {}", pair_text(p.dil_h, p.dil_w)) : "",
                     p.groups > 1 ? fmt::format(" groups {}", p.groups) : "", element_name(p.input),
                     element_name(p.accumulate),
                     p.order == kernels::TensorOrder::kNhwc ? "NHWC" : "NCHW");
}

PreparedRun prepare_conv(workload::ConvWork work, const PreparationOptions& asked,
                         const config::Machine& machine) {
  PreparedRun run;
  ConvProblem& problem = work.problem;
  const Formats formats{problem.input, problem.accumulate};
  PreparationOptions options = asked;
  options.unit = unit_for(asked, formats, machine);
  run.note = note_of(
      {unit_words(asked, options.unit, formats, machine), take_unit(options.unit, problem)});
  const config::PeakRate peak =
      peak_of(problem.unit, {problem.input, problem.accumulate}, options, machine);
  const kernels::Target target = config::make_target(
      machine, {.input = problem.input, .accumulate = problem.accumulate, .unit = problem.unit});
  const ConvPlan plan = plan_of(work, options, target);
  run.launches = make_conv_stream(problem, plan, target);
  run.operation = values::conv_operation(problem, plan.algorithm);
  constexpr double kOperationsPerMac = 2.0;
  run.inputs.title = conv_title(problem);
  run.inputs.unit = unit_name(problem.unit);
  for (const isa::KernelLaunch& launch : run.launches)
    run.inputs.kernel_tiles.push_back(uses_tensor_cores(launch) ? plan.text() : "");
  if (problem.unit == kernels::Unit::kCudaCore) run.inputs.kernel_tiles.front() = plan.text();
  run.inputs.flop = kOperationsPerMac * static_cast<double>(problem.macs());
  run.inputs.peak_tflops = peak.tera_ops_per_s;
  run.inputs.dtype = peak.dtype;
  run.inputs.power = power_inputs(machine, peak.dtype, options.power);
  if (problem.unit == kernels::Unit::kTensor &&
      std::ranges::none_of(run.launches, uses_tensor_cores))
    count_on_cuda_cores(run, formats, options, machine);
  return run;
}

}  // namespace tcsim::run
