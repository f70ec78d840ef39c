#include "workloads/kernels/attention/key_splits.hpp"

#include <algorithm>
#include <cmath>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/attention/fused_copies.hpp"

namespace tcsim::kernels {
namespace {

/// Picks the smallest number of splits whose last wave is nearly as full as that of the best
/// number.
void choose_splits(const KeySplits& rule, int sms, AttentionChoice& choice) {
  const double slots = static_cast<double>(sms) * rule.ctas_per_sm;
  if (static_cast<double>(choice.tiles) >= rule.full_share * slots ||
      choice.blocks <= rule.whole_blocks)
    return;
  const auto most = std::min<std::int64_t>({rule.most, sms, choice.blocks});
  double best = 0;
  for (std::int64_t splits = 1; splits <= most; ++splits) {
    const bool is_equal =
        splits > 1 && ceil_div(choice.blocks, splits) == ceil_div(choice.blocks, splits - 1);
    if (rule.skips_equal && is_equal) continue;
    choice.candidates.push_back(
        {static_cast<int>(splits), static_cast<double>(choice.tiles * splits) / slots});
    best = std::max(best, choice.candidates.back().efficiency());
  }
  choice.most_splits =
      std::ranges::find_if(choice.candidates, [&](const SplitCandidate& candidate) {
        return candidate.efficiency() >= rule.nearly_best * best;
      })->splits;
}

/// Reduces the number of splits by the ones that would have no block.
int without_empty(std::int64_t blocks, std::int64_t splits) {
  return static_cast<int>(ceil_div(blocks, ceil_div(blocks, splits)));
}

/// FlashAttention-2: only the host decides.
void choose_by_host(const KeySplits& rule, const AttentionProblem& problem, const Target& target,
                    const FusedTile& divided, AttentionChoice& choice) {
  if (problem.queries == 1) choice.whole = divided;  // the kernel that can divide keys, anyway
  choice.pick = choice.whole;
  const FusedPlan plan = plan_fused(problem, divided, target);
  choice.tiles = plan.row_blocks() * plan.heads * problem.batch;
  choice.blocks = plan.key_blocks();
  choose_splits(rule, target.sms, choice);
  if (choice.most_splits == 1) return;
  choice.pick = divided;
  choice.pick.splits = without_empty(choice.blocks, choice.most_splits);
}

/// FlashAttention-3: the host considers only the tiles of one sequence when it allows splits. The
/// launch before the kernel then finds the number of splits for each sequence of the batch. Once
/// splits are allowed, the divided tiles are used even if no sequence is split.
void choose_by_sequence(const KeySplits& rule, const AttentionProblem& problem,
                        const Target& target, const FusedTile& divided, AttentionChoice& choice) {
  const std::int64_t group = problem.heads / problem.kv_heads;
  choice.tiles = problem.kv_heads * ceil_div<std::int64_t>(problem.queries * group, divided.rows);
  // The host counts the blocks of whole pages.
  const std::int64_t keys = ceil_div<std::int64_t>(problem.keys, kPageTokens) * kPageTokens;
  choice.blocks = ceil_div<std::int64_t>(keys, divided.keys);
  choose_splits(rule, target.sms, choice);
  if (choice.most_splits == 1) return;
  choice.pick = divided;
  if (problem.batch > rule.schedule->most_sequences) return;
  const auto blocks = ceil_div<std::int64_t>(problem.keys, divided.keys);
  const auto all = static_cast<double>(choice.tiles * blocks * problem.batch);
  const auto per_sm =
      static_cast<std::int64_t>(std::ceil(all * rule.schedule->margin / target.sms));
  const std::int64_t splits = std::min<std::int64_t>(choice.most_splits, ceil_div(blocks, per_sm));
  choice.pick.splits = without_empty(blocks, splits);
}

}  // namespace

double SplitCandidate::efficiency() const { return waves / std::ceil(waves); }

AttentionChoice choose_attention(const AttentionFamily& family, const AttentionProblem& problem,
                                 const Target& target) {
  AttentionChoice choice;
  choice.whole = choice.pick = first_for(family.tiles, problem, target)->tile;
  if (!family.splits) return choice;
  const KeySplits& rule = *family.splits;
  const FusedTile divided = first_for(rule.tiles, problem, target)->tile;
  if (rule.schedule)
    choose_by_sequence(rule, problem, target, divided, choice);
  else
    choose_by_host(rule, problem, target, divided, choice);
  return choice;
}

}  // namespace tcsim::kernels
