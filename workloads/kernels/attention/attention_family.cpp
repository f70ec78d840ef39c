#include "workloads/kernels/attention/attention_family.hpp"

#include <algorithm>

#include "workloads/kernels/library.hpp"

namespace tcsim::kernels {
namespace {

bool is_for_operands(const AttentionFamily& family, const AttentionProblem& problem,
                     const Target& target) {
  return family.algorithm == problem.algorithm && has_form(target, family.form) &&
         std::ranges::find(family.operands, problem.element) != family.operands.end();
}

/// Why none of `rows` is for `problem`: what the last of those for the largest heads lacks; empty
/// if one is.
std::string why_none_for(const std::vector<AttentionTile>& rows, const AttentionProblem& problem,
                         const Target& target) {
  if (first_for(rows, problem, target) != nullptr) return {};
  const auto largest = std::max_element(
      rows.rbegin(), rows.rend(),
      [](const AttentionTile& a, const AttentionTile& b) { return a.most_dim < b.most_dim; });
  return why_not_for(*largest, problem, target);
}

/// Why `family`, which is for the operands of `problem`, has no tile for it; empty if it has one. A
/// tile with roles must also be one that can be built: others have forms of mma.sync behind them.
std::string why_no_tile_for(const AttentionFamily& family, const AttentionProblem& problem,
                            const Target& target) {
  std::string reason = why_none_for(family.tiles, problem, target);
  if (!reason.empty()) return reason;
  if (family.splits) reason = why_none_for(family.splits->tiles, problem, target);
  if (!reason.empty()) return reason + " (splits)";
  const FusedTile& tile = first_for(family.tiles, problem, target)->tile;
  return tile.has_roles ? why_not_fused(problem, tile, target) : "";
}

bool has_kernels_for(const AttentionFamily& family, const AttentionProblem& problem,
                     const Target& target) {
  return is_for_operands(family, problem, target) &&
         why_no_tile_for(family, problem, target).empty();
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
      const std::string reason = why_no_tile_for(family, problem, target);
      if (!reason.empty()) return library->name + " has no such kernel: " + reason;
    }
  return why_no_family(target);
}

}  // namespace tcsim::kernels
