#include "workloads/kernels/attention/attention_family.hpp"

#include <algorithm>

#include "workloads/kernels/library.hpp"

namespace tcsim::kernels {
namespace {

/// A tile that is for `problem`, and with roles one that can be built for it: others have forms of
/// mma.sync behind them.
bool has_tile_for(const AttentionFamily& family, const AttentionProblem& problem,
                  const Target& target) {
  const AttentionTile* row = first_for(family.tiles, problem, target);
  return row != nullptr &&
         (!row->tile.has_roles || why_not_fused(problem, row->tile, target).empty());
}

bool is_for_operands(const AttentionFamily& family, const AttentionProblem& problem,
                     const Target& target) {
  return family.algorithm == problem.algorithm && has_form(target, family.form) &&
         std::ranges::find(family.operands, problem.element) != family.operands.end();
}

bool has_kernels_for(const AttentionFamily& family, const AttentionProblem& problem,
                     const Target& target) {
  return is_for_operands(family, problem, target) && has_tile_for(family, problem, target) &&
         (!family.splits || first_for(family.splits->tiles, problem, target) != nullptr);
}

}  // namespace

std::string why_not_for(const AttentionTile& row, const AttentionProblem& problem,
                        const Target& target) {
  const auto is_for_less = [](int limit, int bytes) { return limit > 0 && bytes >= limit; };
  if (problem.dim > row.most_dim) return "head size above " + std::to_string(row.most_dim);
  if (row.is_causal_only && !problem.causal) return "not causal";
  if (problem.queries < row.least_queries)
    return "fewer than " + std::to_string(row.least_queries) + " queries";
  if (row.most_rows > 0 && problem.queries * (problem.heads / problem.kv_heads) > row.most_rows)
    return "more than " + std::to_string(row.most_rows) + " queries of the heads of a group";
  if (is_for_less(row.sm_shared_below, target.shared_bytes_per_sm))
    return "an SM has " + std::to_string(row.sm_shared_below) + " bytes of shared memory or more";
  if (is_for_less(row.cta_shared_below, target.shared_bytes_per_cta))
    return "a CTA has " + std::to_string(row.cta_shared_below) + " bytes of shared memory or more";
  return {};
}

const AttentionTile* first_for(const std::vector<AttentionTile>& rows,
                               const AttentionProblem& problem, const Target& target) {
  const auto found = std::ranges::find_if(
      rows, [&](const AttentionTile& row) { return why_not_for(row, problem, target).empty(); });
  return found == rows.end() ? nullptr : &*found;
}

std::shared_ptr<const AttentionFamily> find_attention(const AttentionProblem& problem,
                                                      const Target& target) {
  for (const std::shared_ptr<const Library>& library : target.libraries)
    for (const AttentionFamily& family : library->attention)
      if (has_kernels_for(family, problem, target)) return {library, &family};
  return nullptr;
}

std::string why_no_attention_family(const AttentionProblem& problem, const Target& target) {
  for (const std::shared_ptr<const Library>& library : target.libraries)
    for (const AttentionFamily& family : library->attention) {
      if (!is_for_operands(family, problem, target)) continue;
      const std::string reason = why_not_for(family.tiles.back(), problem, target);
      if (!reason.empty()) return library->name + " has no such kernel: " + reason;
    }
  return why_no_family(target);
}

}  // namespace tcsim::kernels
