#include <algorithm>
#include <cmath>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/attention/fused_plan.hpp"
#include "workloads/kernels/attention/paged_tile.hpp"
#include "workloads/kernels/output_conversion.hpp"

namespace tcsim::kernels {
namespace {

constexpr std::int64_t kFusedLargestDim = 256;
constexpr int kDecodeRows = 64;
constexpr int kMostSplits = 32;  // the combining kernel holds a weight of each in registers

bool is_decoding(const AttentionProblem& problem) { return problem.queries == 1; }

/// Machines of compute capability 8.6 and 8.9 have 100 KiB per SM.
bool has_little_shared(const Target& target) {
  constexpr int kEnough = 128 * 1024;
  return target.shared_bytes_per_sm < kEnough;
}

/// Our choice for formats that FlashAttention-2 does not take (assumption): rows of Q, K and V in
/// shared memory as for 16-bit elements, sums in the registers of a thread.
FusedTile own_tile(const AttentionProblem& problem) {
  if (problem.element == Element::kInt8) return {128, 64, problem.dim <= 64 ? 4 : 8, 1};
  if (problem.dim <= 64) return {128, 64, 4, 1};
  return problem.dim <= 128 ? FusedTile{128, 32, 4, 1} : FusedTile{64, 32, 4, 1};
}

bool is_staged(const Target& target) { return form_of(target) != FusedForm::kAsync; }

/// Our choice (assumption) for tiles that pass through registers, which a block of K or V takes
/// besides scores and sums. On Volta the instructions of a block of 32 keys fit into the cache of a
/// sub-core.
FusedTile staged_tile(const AttentionProblem& problem, const Target& target) {
  if (problem.dim <= 64 && form_of(target) == FusedForm::kTuring) return {128, 64, 4, 1};
  if (problem.dim <= 128) return {128, 32, 4, 1};
  constexpr int kSharedOfWide = 96 * 1024;
  return target.shared_bytes_per_cta < kSharedOfWide ? FusedTile{64, 32, 4, 1}
                                                     : FusedTile{128, 32, 8, 1};
}

FusedTile prefill_tile(const AttentionProblem& problem, const Target& target) {
  if (is_staged(target)) return staged_tile(problem, target);
  if (!is_16_bit(problem.element)) return own_tile(problem);
  const bool little = has_little_shared(target);
  if (problem.dim <= 64) return {128, 128, 4, 1};
  if (problem.dim <= 96)
    return little && problem.causal ? FusedTile{64, 64, 4, 1} : FusedTile{128, 64, 4, 1};
  if (problem.dim <= 128) {
    if (!little) return {128, 64, 4, 1};
    return problem.causal ? FusedTile{64, 64, 4, 1} : FusedTile{128, 32, 4, 1};
  }
  if (problem.dim <= 192) return {128, 64, 8, 1};
  return little ? FusedTile{64, 64, 4, 1} : FusedTile{128, 64, 8, 1};
}

/// The block that `problem` asks for; four warps as long as their registers hold the rows.
FusedTile given_tile(const AttentionProblem& problem) {
  constexpr std::int64_t kWidestOfFourWarps = 128;
  const bool wide = problem.block_rows == 128 &&
                    problem.dim * (problem.element == Element::kInt8 ? 2 : 1) > kWidestOfFourWarps;
  return {problem.block_rows, problem.block_keys, wide ? 8 : 4, 1};
}

FusedTile split_tile(const AttentionProblem& problem, const Target& target) {
  if (is_staged(target))  // half of FlashAttention-2's keys (assumption)
    return {kDecodeRows, problem.dim <= 64 ? 128 : problem.dim <= 128 ? 64 : 32, 4, 1};
  if (problem.element == Element::kTf32)
    return {kDecodeRows, problem.dim <= 64 ? 128 : problem.dim <= 128 ? 64 : 32, 4, 1};
  if (problem.dim <= 64) return {kDecodeRows, 256, 4, 1};
  return {kDecodeRows, problem.dim <= 128 ? 128 : 64, 4, 1};
}

/// The smallest number of splits whose last wave is nearly as full as that of the best one.
int choose_splits(std::int64_t tiles, std::int64_t key_blocks, int sms) {
  constexpr double kFullWave = 0.8;     // of the SMs: no splits (FlashAttention-2)
  constexpr double kNearlyBest = 0.85;  // likewise
  constexpr int kCtasPerSm = 2;         // likewise
  const double slots = static_cast<double>(sms) * kCtasPerSm;
  if (static_cast<double>(tiles) >= kFullWave * slots) return 1;
  const auto most = std::min<std::int64_t>({kMostSplits, sms, key_blocks});
  const auto is_distinct = [&](std::int64_t splits) {
    return splits == 1 || ceil_div(key_blocks, splits) != ceil_div(key_blocks, splits - 1);
  };
  const auto efficiency = [&](std::int64_t splits) {
    const double waves = static_cast<double>(tiles * splits) / slots;
    return waves / std::ceil(waves);
  };
  double best = 0;
  for (std::int64_t splits = 1; splits <= most; ++splits)
    if (is_distinct(splits)) best = std::max(best, efficiency(splits));
  for (std::int64_t splits = 1; splits <= most; ++splits)
    if (is_distinct(splits) && efficiency(splits) >= kNearlyBest * best)
      return static_cast<int>(splits);
  return 1;
}

}  // namespace

FusedTile choose_fused_tile(const AttentionProblem& problem, const Target& target) {
  if (problem.algorithm == AttentionAlgorithm::kPaged) return choose_paged_tile(problem, target);
  if (problem.block_rows > 0) return given_tile(problem);
  const bool decodes = is_decoding(problem) && problem.element != Element::kInt8;
  const FusedTile whole = decodes ? split_tile(problem, target) : prefill_tile(problem, target);
  if (problem.causal && !is_decoding(problem)) return whole;
  if (problem.element == Element::kInt8) return whole;  // no kernel for partial outputs
  FusedTile split = split_tile(problem, target);
  const FusedPlan plan = plan_fused(problem, split, target);
  const std::int64_t blocks = plan.key_blocks();
  const int splits =
      choose_splits(plan.row_blocks() * plan.heads * problem.batch, blocks, target.sms);
  if (splits == 1) return whole;
  split.splits = static_cast<int>(ceil_div(blocks, ceil_div<std::int64_t>(blocks, splits)));
  return split;
}

std::string fused_problem(const AttentionProblem& problem, const Target& target) {
  if (problem.algorithm == AttentionAlgorithm::kPaged) return paged_problem(problem, target);
  if (target.features.mma.empty())
    return "the fused kernels need tensor cores, which " + target.architecture + " lacks";
  if (is_staged(target) && problem.element != Element::kFp16)
    return "the fused kernel of " + target.architecture + " takes fp16";
  if (!is_16_bit(problem.element) && problem.element != Element::kTf32 &&
      problem.element != Element::kInt8)
    return "the fused kernel takes fp16, bf16, tf32 and int8";
  const int vector_elements = 16 / element_bytes(problem.element);
  if (problem.dim > kFusedLargestDim || problem.dim % vector_elements != 0)
    return "the fused kernel takes head sizes that are multiples of " +
           std::to_string(vector_elements) + " up to 256";
  if (problem.causal && problem.keys < problem.queries)
    return "causal attention needs at least as many keys as queries";
  if (problem.causal && problem.block_rows > 0)
    return "causal attention takes the block of FlashAttention-2 only";
  const FusedPlan plan = plan_fused(problem, choose_fused_tile(problem, target), target);
  if (problem.has_block_scales && plan.tile.keys != kScaleKeys)
    return "scales of blocks take blocks of " + std::to_string(kScaleKeys) + " keys";
  constexpr int kFewestAddressRegisters = 21;  // of the menu's own tiles, dim 128
  if (plan.registers.address_count() < kFewestAddressRegisters)
    return "the block needs more than 255 registers in a thread; take fewer keys or rows";
  if (plan.shared_bytes() > target.shared_bytes_per_cta)
    return "the tile needs " + std::to_string(plan.shared_bytes()) +
           " bytes of shared memory, a CTA has " + std::to_string(target.shared_bytes_per_cta);
  return {};
}

}  // namespace tcsim::kernels
