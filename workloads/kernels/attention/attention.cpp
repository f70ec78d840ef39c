#include "workloads/kernels/attention/attention.hpp"

#include <algorithm>
#include <stdexcept>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/attention/backward.hpp"
#include "workloads/kernels/attention/fused_plan.hpp"
#include "workloads/kernels/attention/fused_stream.hpp"
#include "workloads/kernels/attention/fused_tile.hpp"
#include "workloads/kernels/attention/unfused.hpp"

namespace tcsim::kernels {
namespace {

/// One query sees all keys either way.
AttentionProblem normalised(AttentionProblem problem) {
  problem.causal = problem.causal && problem.queries > 1;
  return problem;
}

std::string cache_problem(const AttentionProblem& problem) {
  if (problem.pass == AttentionPass::kBackward ||
      problem.algorithm == AttentionAlgorithm::kUnfused || !is_16_bit(problem.element))
    return "the cache is written by fused and paged forward passes of fp16 and bf16";
  if (problem.keys < problem.queries) return "the cache has fewer keys than there are new ones";
  return {};
}

}  // namespace

std::int64_t scale_blocks(const AttentionProblem& problem) {
  return ceil_div(problem.keys, kScaleKeys);
}

Element attention_result(Element operand) {
  if (operand == Element::kTf32) return Element::kFp32;
  if (operand == Element::kE4m3) return Element::kBf16;
  return operand == Element::kInt8 ? Element::kFp16 : operand;
}

double attention_pairs(const AttentionProblem& problem) {
  const auto queries = static_cast<double>(problem.queries);
  const auto keys = static_cast<double>(problem.keys);
  if (!normalised(problem).causal) return queries * keys;
  const double seeing = std::min(queries, keys);  // the queries before them see no key
  return seeing * (keys - seeing / 2);
}

double attention_flop(const AttentionProblem& problem) {
  const double forward = 4.0 * static_cast<double>(problem.batch) *
                         static_cast<double>(problem.heads) * attention_pairs(problem) *
                         static_cast<double>(problem.dim);
  constexpr double kBackward = 2.5;  // five products for two
  return problem.pass == AttentionPass::kBackward ? kBackward * forward : forward;
}

std::string why_no_attention(const AttentionProblem& problem, const Target& target) {
  if (problem.unit == Unit::kCudaCore && (problem.pass == AttentionPass::kBackward ||
                                          problem.algorithm != AttentionAlgorithm::kUnfused))
    return "CUDA cores run forward attention as products and a softmax, without pages";
  if (problem.writes_cache) {
    std::string reason = cache_problem(problem);
    if (!reason.empty()) return reason;
  }
  if (problem.has_block_scales &&
      (problem.element != Element::kInt8 || problem.pass == AttentionPass::kBackward ||
       problem.algorithm != AttentionAlgorithm::kFused))
    return "scales of blocks need a fused forward pass of int8";
  if (problem.has_head_scales &&
      (problem.element != Element::kE4m3 || problem.algorithm == AttentionAlgorithm::kPaged))
    return "scales of heads need e4m3 without pages";
  if (problem.element == Element::kE4m3 && (problem.pass == AttentionPass::kBackward ||
                                            problem.algorithm == AttentionAlgorithm::kUnfused))
    return "e4m3 has only fused and paged forward passes";
  if (problem.pass == AttentionPass::kBackward) return backward_problem(problem, target);
  if (problem.algorithm == AttentionAlgorithm::kUnfused)
    return unfused_problem(normalised(problem), target);
  return fused_problem(normalised(problem), target);
}

AttentionProblem as_far_as_mmas_go(AttentionProblem problem, const Target& target) {
  const bool is_fused = problem.pass == AttentionPass::kForward &&
                        problem.algorithm == AttentionAlgorithm::kFused && !problem.writes_cache &&
                        !problem.has_block_scales && problem.block_rows == 0;
  if (!is_fused || target.features.mma.empty() || has_fused_mma(target, problem.element))
    return problem;
  problem.algorithm = AttentionAlgorithm::kUnfused;
  return problem;
}

std::vector<isa::KernelLaunch> make_attention(const AttentionProblem& problem,
                                              const Target& target) {
  const std::string reason = why_no_attention(problem, target);
  if (!reason.empty()) throw std::invalid_argument("attention: " + reason);
  if (problem.pass == AttentionPass::kBackward) return backward_stream(problem, target);
  if (problem.algorithm == AttentionAlgorithm::kUnfused)
    return unfused_stream(normalised(problem), target);
  return fused_stream(normalised(problem), target);
}

std::vector<std::string> attention_tiles(const AttentionProblem& problem, const Target& target) {
  if (problem.pass == AttentionPass::kBackward) return backward_tiles(problem, target);
  if (problem.algorithm == AttentionAlgorithm::kUnfused)
    return unfused_tiles(normalised(problem), target);
  return fused_tiles(normalised(problem), target);
}

}  // namespace tcsim::kernels
