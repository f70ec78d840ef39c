#include "sim/run/prepare/conv.hpp"

#include <fmt/format.h>

#include "sim/config/operator_target.hpp"
#include "sim/errors/errors.hpp"
#include "sim/run/request_fields.hpp"
#include "sim/values/conv_operation.hpp"
#include "workloads/import/conv_fields.hpp"

namespace tcsim::run {

using kernels::ConvPlan;
using kernels::ConvProblem;
using workload::element_name;

namespace {

/// " post bias+relu unfused"; empty if nothing follows the sums.
std::string post_words(const kernels::ConvPost& post) {
  if (!post.changes_values() && !post.pool) return "";
  return fmt::format(" post {}{}", workload::post_text(post), post.is_fused ? "" : " unfused");
}

/// Those of both operands that meet only padding, or nothing.
std::int64_t unseen_elements(const ConvProblem& problem) {
  using kernels::ConvPass;
  std::int64_t elements = 0;
  if (problem.pass != ConvPass::kDataGradient)
    elements += problem.x_elements() - problem.seen_x_elements();
  if (problem.pass != ConvPass::kWeightGradient)
    elements += problem.w_elements() - problem.seeing_w_elements();
  if (problem.pass != ConvPass::kForward)
    elements += problem.y_elements() - problem.seeing_y_elements();
  return elements;
}

/// Why no algorithm computes `problem`: the reason of implicit GEMM or, where that points to
/// im2col, the reason of im2col.
std::string why_no_algorithm(const ConvProblem& problem, const kernels::Target& target) {
  using kernels::ConvAlgorithm;
  std::string reason = why_no_conv_kernel(problem, ConvAlgorithm::kImplicitGemm, target);
  if (reason.find("algo=im2col_gemm") == std::string::npos) return reason;
  const std::string next = why_no_conv_kernel(problem, ConvAlgorithm::kIm2colGemm, target);
  return next.empty() ? reason : fmt::format("{}: {}", name(ConvAlgorithm::kIm2colGemm), next);
}

}  // namespace

std::string pair_text(std::int64_t h, std::int64_t w) {
  return h == w ? fmt::format("{}", h) : fmt::format("{}x{}", h, w);
}

std::string conv_title(const ConvProblem& p) {
  constexpr const char* kPasses[] = {"fwd", "dgrad", "wgrad"};
  return fmt::format("conv {} {}x{}x{}x{} * {}x{}x{} stride {} pad {}{}{} {}->{} {}{}{}",
                     kPasses[static_cast<int>(p.pass)], p.n, p.h, p.w, p.c, p.k, p.r, p.s,
                     pair_text(p.stride_h, p.stride_w), pair_text(p.pad_h, p.pad_w),
                     p.is_dilated() ? fmt::format(" dil {}", pair_text(p.dil_h, p.dil_w)) : "",
                     p.groups > 1 ? fmt::format(" groups {}", p.groups) : "", element_name(p.input),
                     element_name(p.accumulate),
                     p.order == kernels::TensorOrder::kNhwc ? "NHWC" : "NCHW",
                     output_words({p.input, p.accumulate}, p.output), post_words(p.post));
}

Settled<ConvProblem> settled(ConvProblem problem, const PreparationOptions& asked,
                             const config::Machine& machine) {
  const Formats formats{problem.input, problem.accumulate};
  PreparationOptions options = asked;
  options.unit = unit_for(asked, formats, machine);
  const std::vector<std::string> notes = notes_of(
      {unit_words(asked, options.unit, formats, machine), take_unit(options.unit, problem)});
  const config::PeakRate peak =
      peak_of(problem.unit, {problem.input, problem.accumulate}, options, machine);
  return {problem, options, peak, config::make_conv_target(machine, problem), notes};
}

ConvPlan plan_of(const Settled<ConvProblem>& conv,
                 std::optional<kernels::ConvAlgorithm> algorithm) {
  const auto& [problem, options, peak, target, notes] = conv;
  const auto refuse = [&conv](const std::string& reason) {
    throw NotCovered(
        fmt::format("{}: {}: {}", conv.options.machine, conv_title(conv.problem), reason));
  };
  // A plan as reports print it: the algorithm, then its tile if it has one.
  std::string tile = options.tile;
  if (const auto named = kernels::take_algorithm(tile)) algorithm = named;
  std::optional<ConvPlan> plan;
  if (algorithm) {
    const std::string reason = why_no_conv_kernel(problem, *algorithm, target);
    if (!reason.empty()) refuse(fmt::format("{}: {}", name(*algorithm), reason));
    plan = choose_conv_tile(problem, *algorithm, target);
  } else {
    plan = choose_conv(problem, target);
    if (!plan) refuse(why_no_algorithm(problem, target));
  }
  if (tile.empty()) return *plan;
  std::string reason;
  const auto tiled = parse_conv_tile(tile, problem, algorithm, target, reason);
  if (!tiled) throw mistake_in("tile", reason);
  return *tiled;
}

PreparedRun prepare_conv(const workload::ConvWork& work, const PreparationOptions& options,
                         const config::Machine& machine) {
  const Settled<ConvProblem> conv = settled(work.problem, options, machine);
  const ConvProblem& problem = conv.problem;
  const ConvPlan plan = plan_of(conv, work.algorithm);
  PreparedRun run;
  run.inputs.notes = conv.notes;
  run.launches = make_conv_stream(problem, plan, conv.target);
  run.operation = values::conv_operation(problem, plan.algorithm);
  run.unused.read_bytes = unseen_elements(problem) * kernels::element_bytes(problem.input);
  run.inputs.title = conv_title(problem);
  for (const isa::KernelLaunch& launch : run.launches)
    run.inputs.kernel_tiles.push_back(uses_tensor_cores(launch) ? plan.text() : "");
  if (run.inputs.tile().empty()) run.inputs.kernel_tiles.front() = plan.text();
  run.inputs.flop = config::kOperationsPerMac * static_cast<double>(problem.macs());
  set_peak(run, conv.peak, problem.input, options, machine);
  return run;
}

}  // namespace tcsim::run
