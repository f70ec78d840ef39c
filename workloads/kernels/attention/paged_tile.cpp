#include "workloads/kernels/attention/paged_tile.hpp"

#include <algorithm>
#include <cmath>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/attention/fused_copies.hpp"
#include "workloads/kernels/output_conversion.hpp"

namespace tcsim::kernels {
namespace {

constexpr std::int64_t kPagedLargestDim = 128;  // larger ones keep two stages of K and V
constexpr std::int64_t kMostSequences = 992;    // that the launch in front can schedule
constexpr int kRows = 128;

FusedTile whole_tile(std::int64_t dim) { return {kRows, dim <= 64 ? 112 : 64, 4, 1}; }

FusedTile divided_tile(std::int64_t dim) {
  FusedTile tile{kRows, dim <= 64 ? 80 : dim <= 96 ? 48 : 112, dim <= 96 ? 4 : 8, 1};
  tile.keeps_query = dim > 96;
  tile.is_persistent = true;
  return tile;
}

/// Tiles of all heads of one sequence.
std::int64_t tiles_of_sequence(const AttentionProblem& problem) {
  return problem.kv_heads *
         ceil_div<std::int64_t>(problem.queries * (problem.heads / problem.kv_heads), kRows);
}

/// The most splits that the host allows: the fewest that nearly fill the machine.
std::int64_t most_splits(const AttentionProblem& problem, std::int64_t blocks, int sms) {
  constexpr double kFull = 0.8;         // of the SMs: no splits
  constexpr std::int64_t kFewKeys = 4;  // blocks: no splits
  constexpr double kNearlyBest = 0.85;
  const std::int64_t tiles = tiles_of_sequence(problem);
  if (static_cast<double>(tiles) >= kFull * sms || blocks <= kFewKeys) return 1;
  const auto most = std::min<std::int64_t>({128, sms, blocks});
  const auto efficiency = [&](std::int64_t splits) {
    const double waves = static_cast<double>(tiles * splits) / sms;
    return waves / std::ceil(waves);
  };
  double best = 0;
  for (std::int64_t splits = 1; splits <= most; ++splits) best = std::max(best, efficiency(splits));
  for (std::int64_t splits = 1; splits <= most; ++splits)
    if (efficiency(splits) >= kNearlyBest * best) return splits;
  return 1;
}

/// Splits of each sequence: as many blocks to a CTA as an SM has to work through, a tenth more.
std::int64_t splits_of_sequence(const AttentionProblem& problem, std::int64_t blocks, int sms) {
  constexpr double kMargin = 1.1;
  const auto all = static_cast<double>(tiles_of_sequence(problem) * blocks * problem.batch);
  const auto per_sm = static_cast<std::int64_t>(std::ceil(all * kMargin / sms));
  return ceil_div(blocks, per_sm);
}

}  // namespace

FusedTile choose_paged_tile(const AttentionProblem& problem, const Target& target) {
  FusedTile tile = divided_tile(problem.dim);
  // The host counts the blocks of whole pages.
  const std::int64_t keys = ceil_div<std::int64_t>(problem.keys, kPageTokens) * kPageTokens;
  const std::int64_t most =
      most_splits(problem, ceil_div<std::int64_t>(keys, tile.keys), target.sms);
  if (most == 1) return whole_tile(problem.dim);
  if (problem.batch > kMostSequences) return tile;
  const auto blocks = ceil_div<std::int64_t>(problem.keys, tile.keys);
  const std::int64_t splits = std::min(most, splits_of_sequence(problem, blocks, target.sms));
  // Without the splits that get no block.
  tile.splits = static_cast<int>(ceil_div(blocks, ceil_div(blocks, splits)));
  return tile;
}

std::string paged_problem(const AttentionProblem& problem, const Target& target) {
  if (!target.features.has_async_mma() || target.features.wgmma)
    return "the paged kernel is FlashAttention-3's for Ampere; this is " + target.architecture;
  if (!is_16_bit(problem.element)) return "the paged kernel takes fp16 and bf16";
  if (problem.dim > kPagedLargestDim || problem.dim % 8 != 0)
    return "the paged kernel takes head sizes that are multiples of 8 up to 128";
  if (problem.causal && problem.keys < problem.queries)
    return "causal attention needs at least as many keys as queries";
  if (problem.block_rows > 0) return "the paged kernel has no other blocks than its own";
  const FusedPlan plan = plan_fused(problem, choose_paged_tile(problem, target), target);
  if (plan.shared_bytes() > target.shared_bytes_per_cta)
    return "the tile needs " + std::to_string(plan.shared_bytes()) +
           " bytes of shared memory, a CTA has " + std::to_string(target.shared_bytes_per_cta);
  return {};
}

}  // namespace tcsim::kernels
