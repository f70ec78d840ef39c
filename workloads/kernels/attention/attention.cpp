#include "workloads/kernels/attention/attention.hpp"

#include <stdexcept>

#include "workloads/kernels/attention/backward.hpp"
#include "workloads/kernels/attention/fused_combine.hpp"
#include "workloads/kernels/attention/fused_forward.hpp"
#include "workloads/kernels/attention/fused_plan.hpp"
#include "workloads/kernels/attention/unfused.hpp"
#include "workloads/kernels/buffer_row.hpp"

namespace tcsim::kernels {
namespace {

/// One query sees all keys either way.
AttentionProblem normalised(AttentionProblem problem) {
  problem.causal = problem.causal && problem.queries > 1;
  return problem;
}

std::string element_word(Element element) {
  switch (element) {
    case Element::kBf16:
      return "bf16";
    case Element::kTf32:
      return "tf32";
    case Element::kInt8:
      return "int8";
    default:
      return "fp16";
  }
}

std::string tile_text(const FusedTile& tile) {
  std::string text = std::to_string(tile.rows) + "x" + std::to_string(tile.keys) + "_w" +
                     std::to_string(tile.warps);
  if (tile.splits > 1) text += "_splitkv" + std::to_string(tile.splits);
  return text;
}

std::vector<isa::KernelLaunch> fused_stream(const AttentionProblem& problem, const Target& target) {
  const FusedPlan plan = plan_fused(problem, choose_fused_tile(problem, target));
  const bool splits = plan.tile.splits > 1;
  const std::int64_t key_bytes = 2 * problem.batch * plan.key.batch;
  const std::int64_t query_bytes = 2 * problem.batch * plan.query.batch;
  const std::int64_t rows = problem.batch * plan.heads * plan.rows;
  BufferRow row;
  const isa::Buffer q = row.place("Q", query_bytes, true);
  const isa::Buffer k = row.place("K", key_bytes, true);
  const isa::Buffer v = row.place("V", key_bytes, true);
  const isa::Buffer o =
      row.place("O", plan.result_bytes * problem.batch * plan.result.batch, false);
  const isa::Buffer log_sum = row.place("LSE", 4 * rows, false);

  isa::KernelLaunch launch;
  launch.name = "attention_" + element_word(problem.element) + "_d" + std::to_string(problem.dim) +
                "_" + tile_text(plan.tile) + (problem.causal ? "_causal" : "");
  launch.grid = plan.grid();
  launch.warps_per_cta = plan.tile.warps;
  launch.registers_per_thread = plan.registers.total;
  launch.shared_bytes_per_cta = plan.shared_bytes();
  launch.programs = {fused_program(plan)};
  launch.program_of_warp.assign(static_cast<std::size_t>(launch.warps_per_cta), 0);
  if (!splits) {
    launch.buffers = {q, k, v, o, log_sum};
    return {launch};
  }
  isa::Buffer part_o = row.place("partial_O", 4 * rows * problem.dim * plan.tile.splits, false);
  isa::Buffer part_sum = row.place("partial_LSE", 4 * rows * plan.tile.splits, false);
  launch.buffers = {q, k, v, part_o, part_sum};
  isa::KernelLaunch combine = combine_splits(plan);
  part_o.input = part_sum.input = true;
  combine.buffers = {part_o, part_sum, o, log_sum};
  return {launch, combine};
}

}  // namespace

Element attention_result(Element operand) {
  if (operand == Element::kTf32) return Element::kFp32;
  return operand == Element::kInt8 ? Element::kFp16 : operand;
}

double attention_flop(const AttentionProblem& problem) {
  const double whole = 4.0 * static_cast<double>(problem.batch) *
                       static_cast<double>(problem.heads) * static_cast<double>(problem.queries) *
                       static_cast<double>(problem.keys) * static_cast<double>(problem.dim);
  constexpr double kBackward = 2.5;  // five products for two
  const double useful = problem.pass == AttentionPass::kBackward ? kBackward * whole : whole;
  return normalised(problem).causal ? useful / 2 : useful;
}

std::string why_no_attention(const AttentionProblem& problem, const Target& target) {
  if (problem.pass == AttentionPass::kBackward) return backward_problem(problem, target);
  if (problem.algorithm == AttentionAlgorithm::kUnfused)
    return unfused_problem(normalised(problem), target);
  return fused_problem(normalised(problem), target);
}

std::vector<isa::KernelLaunch> make_attention(const AttentionProblem& problem,
                                              const Target& target) {
  const std::string reason = why_no_attention(problem, target);
  if (!reason.empty()) throw std::invalid_argument("attention: " + reason);
  if (problem.pass == AttentionPass::kBackward) return backward_stream(problem);
  if (problem.algorithm == AttentionAlgorithm::kUnfused)
    return unfused_stream(normalised(problem), target);
  return fused_stream(normalised(problem), target);
}

std::vector<std::string> attention_tiles(const AttentionProblem& problem, const Target& target) {
  if (problem.pass == AttentionPass::kBackward) return backward_tiles(problem);
  if (problem.algorithm == AttentionAlgorithm::kUnfused)
    return unfused_tiles(normalised(problem), target);
  const FusedTile tile = choose_fused_tile(normalised(problem), target);
  std::vector<std::string> texts{tile_text(tile)};
  if (tile.splits > 1) texts.emplace_back();
  return texts;
}

}  // namespace tcsim::kernels
