#include "sim/run/prepare/attention.hpp"

#include <fmt/format.h>

#include <array>

#include "sim/config/operator_target.hpp"
#include "sim/config/target.hpp"
#include "sim/errors/errors.hpp"
#include "sim/run/prepare/conv.hpp"
#include "sim/values/attention_backward_operation.hpp"
#include "sim/values/attention_operation.hpp"
#include "sim/values/pool_operation.hpp"
#include "sim/values/vector_operation.hpp"

namespace tcsim::run {
namespace {

/// In what products of `element` add up.
kernels::Element sum_of(kernels::Element element) {
  return element == kernels::Element::kInt8 ? kernels::Element::kInt32 : kernels::Element::kFp32;
}

/// `asked` by the MMAs that the machine has; `notes` gets what the user should know.
kernels::AttentionProblem on_tensor_cores(const kernels::AttentionProblem& asked,
                                          const config::Machine& machine,
                                          std::vector<std::string>& notes) {
  const auto problem =
      kernels::as_far_as_mmas_go(asked, config::make_attention_target(machine, asked));
  if (problem.algorithm != asked.algorithm)
    notes.emplace_back(
        "the machine lacks the MMAs of the fused kernels; runs as products and a softmax");
  return problem;
}

/// `asked` as CUDA cores compute it; likewise.
kernels::AttentionProblem on_cuda_cores(const kernels::AttentionProblem& asked,
                                        std::vector<std::string>& notes) {
  kernels::AttentionProblem problem = asked;
  problem.unit = kernels::Unit::kCudaCore;
  const bool is_plain = asked.pass == kernels::AttentionPass::kForward && !asked.writes_cache &&
                        !asked.has_block_scales && asked.block_rows == 0;
  if (is_plain && asked.algorithm == kernels::AttentionAlgorithm::kFused) {
    problem.algorithm = kernels::AttentionAlgorithm::kUnfused;
    notes.emplace_back("runs as products and a softmax");
  }
  if (!is_widened(asked.element)) return problem;
  problem.element = kernels::Element::kFp32;
  notes.push_back(widened_words(asked.element));
  return problem;
}

/// A run of a kernel without useful operations.
PreparedRun one_kernel(isa::KernelLaunch launch, values::TensorOperation operation,
                       const std::string& title) {
  PreparedRun run;
  run.launches = {std::move(launch)};
  run.operation = std::move(operation);
  run.inputs.title = title;
  run.inputs.unit = "cuda-core";
  run.inputs.kernel_tiles = {""};
  return run;
}

}  // namespace

std::string attention_title(const kernels::AttentionProblem& p) {
  const std::string heads = p.kv_heads == p.heads ? fmt::format("{}", p.heads)
                                                  : fmt::format("{}/{}", p.heads, p.kv_heads);
  constexpr std::array<std::string_view, 3> kAlgorithms{"", " unfused", " paged"};
  return fmt::format("attention{} b{} h{} {}x{} d{} {}{}{}{}{}",
                     p.pass == kernels::AttentionPass::kBackward ? " bwd" : "", p.batch, heads,
                     p.queries, p.keys, p.dim, workload::element_name(p.element),
                     p.causal ? " causal" : "",
                     kAlgorithms.at(static_cast<std::size_t>(p.algorithm)),
                     p.writes_cache ? ", cache written" : "",
                     p.has_block_scales  ? ", scales by blocks"
                     : p.has_head_scales ? ", scales by heads"
                                         : "");
}

Settled<kernels::AttentionProblem> settled(const kernels::AttentionProblem& asked,
                                           const PreparationOptions& options,
                                           const config::Machine& machine) {
  const Formats formats{asked.element, sum_of(asked.element)};
  PreparationOptions how = options;
  how.unit = unit_for(options, formats, machine);
  std::vector<std::string> notes{unit_words(options, how.unit, formats, machine)};
  const kernels::AttentionProblem problem =
      how.unit == "tensor" ? on_tensor_cores(asked, machine, notes) : on_cuda_cores(asked, notes);
  const std::string title = attention_title(problem);
  refuse_tile(options, title);
  const config::PeakRate peak =
      peak_of(problem.unit, {problem.element, sum_of(problem.element)}, how, machine);
  const kernels::Target target = config::make_attention_target(machine, problem);
  const std::string reason = kernels::why_no_attention(problem, target);
  if (!reason.empty()) throw NotCovered(fmt::format("{}: {}: {}", options.machine, title, reason));
  return {problem, how, peak, target, notes_of(notes)};
}

PreparedRun prepare_attention(const kernels::AttentionProblem& asked,
                              const PreparationOptions& options, const config::Machine& machine) {
  const auto [problem, how, peak, target, notes] = settled(asked, options, machine);
  PreparedRun run;
  run.inputs.notes = notes;
  run.launches = kernels::make_attention(problem, target);
  run.operation = problem.pass == kernels::AttentionPass::kBackward
                      ? values::attention_backward_operation(problem)
                      : values::attention_operation(problem);
  run.inputs.title = attention_title(problem);
  run.inputs.unit = how.unit;
  run.inputs.kernel_tiles = kernels::attention_tiles(problem, target);
  run.inputs.flop = kernels::attention_flop(problem);
  run.inputs.peak_tflops = peak.tera_ops_per_s;
  run.inputs.dtype = peak.dtype;
  run.inputs.power = power_inputs(machine, peak.dtype, options.constant_data);
  return run;
}

namespace {

/// "; use --precision fp32" where the type of `problem` is what keeps it from a kernel.
std::string other_type_words(kernels::VectorProblem problem, const kernels::Target& target,
                             const PreparationOptions& options) {
  problem.element = kernels::Element::kFp32;
  const bool helps = !options.way_out.empty() && kernels::why_no_vector(problem, target).empty();
  return helps ? "; use " + options.way_out : "";
}

}  // namespace

std::string vector_title(const kernels::VectorProblem& problem) {
  return fmt::format("{} {}x{} {}", kernels::vector_name(problem.operation), problem.rows,
                     problem.cols, workload::element_name(problem.element));
}

PreparedRun prepare_vector(const kernels::VectorProblem& problem, const PreparationOptions& options,
                           const config::Machine& machine) {
  const std::string title = vector_title(problem);
  refuse_tile(options, title);
  const kernels::Target target = config::make_target(machine, {.input = problem.element});
  const std::string reason = kernels::why_no_vector(problem, target);
  if (!reason.empty())
    throw NotCovered(fmt::format("{}: {}: {}{}", options.machine, title, reason,
                                 other_type_words(problem, target, options)));
  PreparedRun run =
      one_kernel(kernels::make_vector(problem, target), values::vector_operation(problem), title);
  run.inputs.power =
      power_inputs(machine, workload::element_name(problem.element), options.constant_data);
  return run;
}

std::string pool_title(const kernels::PoolProblem& p) {
  return fmt::format("{} {}x{}x{}x{} {}x{} stride {} pad {}{}{} {}",
                     kernels::pool_name(p.operation), p.n, p.h, p.w, p.c, p.r, p.s,
                     pair_text(p.stride_h, p.stride_w), pair_text(p.pad_h, p.pad_w),
                     p.has_ceiling ? " ceil" : "", p.counts_padding ? "" : " count_pad 0",
                     workload::element_name(p.element));
}

PreparedRun prepare_pool(const kernels::PoolProblem& problem, const PreparationOptions& options,
                         const config::Machine& machine) {
  const std::string title = pool_title(problem);
  refuse_tile(options, title);
  const kernels::Target target = config::make_target(machine, {.input = problem.element});
  const std::string reason = kernels::why_no_pool(problem, target);
  if (!reason.empty()) throw NotCovered(fmt::format("{}: {}: {}", options.machine, title, reason));
  PreparedRun run =
      one_kernel(kernels::make_pool(problem, target), values::pool_operation(problem), title);
  run.unused.read_bytes =
      (problem.x_elements() - problem.seen_x_elements()) * kernels::element_bytes(problem.element);
  run.inputs.power =
      power_inputs(machine, workload::element_name(problem.element), options.constant_data);
  return run;
}

}  // namespace tcsim::run
