#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <tuple>

#include "workloads/kernels/cost_model.hpp"
#include "workloads/kernels/fewest_waves.hpp"
#include "workloads/kernels/kernel_plan.hpp"
#include "workloads/kernels/warp_specialised.hpp"
#include "workloads/kernels/warpgroup_cost.hpp"

namespace tcsim::kernels {
namespace {

/// True if a tile of half the height or width, which the menu has, would be enough.
bool is_half_empty(const GemmProblem& problem, const GemmTile& tile, int smallest_side) {
  return (tile.m > smallest_side && problem.m <= tile.m / 2) ||
         (tile.n > smallest_side && problem.n <= tile.n / 2);
}

double factor_of(const TilePreferences& preferences, const GemmProblem& problem,
                 const GemmTile& tile) {
  if (tile.split_k > 1 && !preferences.with_slices) return 1;
  for (const TilePreferences::Factor& row : preferences.factors)
    if (row.m == tile.m && row.n == tile.n && row.sliced_k == tile.sliced_k)
      return is_half_empty(problem, tile, preferences.smallest_side) ? std::max(row.factor, 1.0)
                                                                     : row.factor;
  return 1;
}

/// True if the library has tiles of this size only with deeper k-tiles, and the deeper tile would
/// fit.
bool has_deeper_twin(const KernelPlan& plan, const Target& target) {
  const DeepTiles& deep = plan.recipe.family->deep;
  const GemmTile& tile = plan.tile;
  return std::ranges::find(deep.operands, plan.problem.input) != deep.operands.end() &&
         tile.m * tile.n == deep.size && tile.k < deep.k &&
         plan.shared_bytes() * deep.k / tile.k + target.shared_reserved_per_cta <=
             target.shared_bytes_per_sm;
}

/// Smaller is better.
using Rank = std::tuple<bool, double, int, int, int, int, int>;

Rank rank(const Candidate& candidate, const GemmProblem& problem) {
  const GemmTile& tile = candidate.tile;
  const int length = problem.n > problem.m ? tile.n : tile.m;
  return {candidate.has_deeper_twin,
          candidate.rating(),
          -tile.m * tile.n,
          tile.split_k,
          -length,
          -tile.k,
          -tile.stages};
}

std::optional<double> cycles_by_waves(const KernelPlan& plan, const Target& target) {
  const WaveRule& rule = plan.recipe.family->waves;
  if (rule.tiles.empty()) return std::nullopt;
  return wave_cycles(rule, plan.problem, plan.tile, target);
}

Candidate candidate(const KernelPlan& plan, const Target& target) {
  return {.tile = plan.tile,
          .costs = estimate(plan, target),
          .preference = factor_of(plan.recipe.family->preferences, plan.problem, plan.tile),
          .margin = plan.tile.split_k > 1 ? plan.recipe.family->slices.margin : 1,
          .family = plan.recipe.family,
          .has_deeper_twin = has_deeper_twin(plan, target),
          .wave_cycles = cycles_by_waves(plan, target)};
}

/// True if a rule compares the tiles of `family`, which has warpgroups, instead of estimates.
bool has_warpgroup_rule(const KernelFamily& family) {
  return family.takes_fewest_waves || family.cluster_waves;
}

Candidate warpgroup_candidate(const GemmProblem& problem, const GemmTile& tile,
                              std::shared_ptr<const KernelFamily> family, const Target& target) {
  Candidate one{.tile = tile};
  // A rule does not need the estimate; the estimate is then made only for the candidates that are
  // shown.
  if (!has_warpgroup_rule(*family))
    one.costs = estimate_warp_specialised(problem, tile, *family, target);
  one.preference = factor_of(family->preferences, problem, tile);
  if (family->takes_fewest_waves)
    one.wave_cycles = fewest_waves_rating(problem, tile, *family, target.sms);
  if (family->cluster_waves)
    one.wave_cycles = cluster_wave_cycles(*family->cluster_waves, problem, tile, target);
  one.family = std::move(family);
  return one;
}

struct Ranked {
  Rank rank;
  Candidate candidate;
};

/// What makes two tiles different kernels in the chooser's list: CTA tile, groups, with or without
/// slices, roles, order of operands.
using Kind = std::tuple<int, int, int, bool, WarpRoles, bool>;

Kind kind_of(const GemmTile& tile) {
  return {tile.m, tile.n, tile.sliced_k, tile.split_k > 1, tile.roles, tile.swapped};
}

/// The best candidate of each kind.
class BestOfKinds {
 public:
  void consider(const Candidate& one, const GemmProblem& problem) {
    const Ranked ranked{rank(one, problem), one};
    const auto [place, is_first] = best_.try_emplace(kind_of(one.tile), ranked);
    if (!is_first && ranked.rank < place->second.rank) place->second = ranked;
  }
  [[nodiscard]] std::vector<Candidate> in_order() const {
    std::vector<Ranked> order;
    order.reserve(best_.size());
    for (const auto& [kind, ranked] : best_) order.push_back(ranked);
    std::ranges::sort(order, {}, &Ranked::rank);
    std::vector<Candidate> candidates;
    candidates.reserve(order.size());
    for (const Ranked& ranked : order) candidates.push_back(ranked.candidate);
    return candidates;
  }

 private:
  std::map<Kind, Ranked> best_;
};

/// True if it is worth trying to slice the tile of `plan`, which has `ctas` CTAs without slices.
bool may_slice(const KernelPlan& plan, std::int64_t ctas, std::int64_t slots, int slices) {
  const SliceRule& rule = plan.recipe.family->slices;
  const GemmTile& tile = plan.tile;
  if (rule.larger_than == 0 || tile.m * tile.n <= rule.larger_than) return true;
  return static_cast<double>(ctas) > rule.larger_least_fill * static_cast<double>(slots) &&
         plan.problem.k >= rule.larger_least_depth * slices;
}

/// Numbers of slices worth trying for the tile of `plan`. None if its CTAs fill the machine without
/// slices; none that need more waves than the library's rule allows (kernels.md 4.2).
std::vector<int> slice_counts(const KernelPlan& plan, const Target& target) {
  const SliceRule& rule = plan.recipe.family->slices;
  const std::int64_t ctas = plan.raster.tiles_m() * plan.raster.tiles_n() * plan.problem.batch;
  const std::int64_t slots = std::int64_t{target.sms} * std::max(1, ctas_per_sm(plan, target));
  std::vector<int> counts;
  if (const WaveRule& waves = plan.recipe.family->waves; !waves.tiles.empty()) {
    for (const int count : rule.counts)
      if (plan.problem.batch == 1 && plan.problem.k >= std::int64_t{waves.least_k} * count)
        counts.push_back(count);
    return counts;
  }
  if (ctas >= slots) return counts;
  for (const int count : rule.counts) {
    const std::int64_t least = count > 2 ? rule.least_k_tiles_of_more : rule.least_k_tiles;
    if (may_slice(plan, ctas, slots, count) && plan.k_tiles() >= least * count &&
        ctas * count <= rule.most_waves * slots)
      counts.push_back(count);
  }
  return counts;
}

void consider_menu(const std::vector<GemmTile>& menu, const TilePlanner& planner, bool may_split,
                   const Target& target, BestOfKinds& best) {
  const auto consider = [&](const KernelPlan& plan) {
    best.consider(candidate(plan, target), plan.problem);
  };
  for (GemmTile tile : menu) {
    const KernelPlan plan = planner(tile);
    consider(plan);
    if (!may_split) continue;
    for (const int slices : slice_counts(plan, target)) {
      tile.split_k = slices;
      tile.serial_k = plan.recipe.family->slices.serial;
      if (!KSlices::leaves_empty_slice(plan.problem, tile)) consider(planner(tile));
    }
  }
}

void consider_warpgroups(const std::vector<GemmTile>& menu,
                         const std::shared_ptr<const KernelFamily>& family,
                         const GemmProblem& problem, bool may_split, const Target& target,
                         BestOfKinds& best) {
  for (GemmTile tile : menu) {
    const int most = may_split && family->cluster_waves
                         ? most_slices(*family->cluster_waves, problem, tile, target)
                         : 1;
    for (tile.split_k = 1; tile.split_k <= most; ++tile.split_k) {
      if (tile.split_k > 1 && KSlices::leaves_empty_slice(problem, tile)) continue;
      best.consider(warpgroup_candidate(problem, tile, family, target), problem);
    }
  }
}

/// The product whose times decide. Some libraries measure only powers of two of rows, and use for
/// any other number of rows the tile of the next power of two.
GemmProblem timed_problem(GemmProblem problem, const Target& target) {
  std::string reason;
  const std::optional<Recipe> recipe = find_recipe(problem, target, reason);
  if (recipe && recipe->family->times_powers_of_two)
    problem.m = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(problem.m)));
  return problem;
}

/// `best` in order, without the tiles outside a rule where others are inside it, and with the
/// estimates that a rule did not need.
std::vector<Candidate> in_order(const BestOfKinds& best, const GemmProblem& timed,
                                const Target& target) {
  std::vector<Candidate> candidates = best.in_order();
  const auto has_no_rating = [](const Candidate& one) { return std::isinf(one.rating()); };
  if (!candidates.empty() && !has_no_rating(candidates.front()))
    std::erase_if(candidates, has_no_rating);
  for (Candidate& one : candidates)
    if (are_warpgroups(one.tile.roles) && has_warpgroup_rule(*one.family))
      one.costs = estimate_warp_specialised(timed, one.tile, *one.family, target);
  return candidates;
}

}  // namespace

bool is_preferred(const GemmTile& a, const GemmTile& b, const GemmProblem& problem,
                  const Target& target) {
  const GemmProblem timed = timed_problem(problem, target);
  const auto rank_of = [&](const GemmTile& tile) {
    if (are_warpgroups(tile.roles))
      return rank(warpgroup_candidate(timed, tile,
                                      warp_specialised_families(problem, target).front(), target),
                  timed);
    const KernelPlan plan = plan_for(timed, tile, target);
    return rank(candidate(plan, target), plan.problem);
  };
  return rank_of(a) < rank_of(b);
}

std::vector<Candidate> candidates_from(const std::vector<GemmTile>& menu,
                                       const TilePlanner& planner, bool may_split,
                                       const Target& target) {
  BestOfKinds best;
  consider_menu(menu, planner, may_split, target, best);
  return best.in_order();
}

std::vector<Candidate> warpgroup_candidates(const std::vector<GemmTile>& menu,
                                            const std::shared_ptr<const KernelFamily>& family,
                                            const GemmProblem& problem, const Target& target) {
  const GemmProblem timed = timed_problem(problem, target);
  BestOfKinds best;
  consider_warpgroups(menu, family, timed, /*may_split=*/false, target, best);
  return in_order(best, timed, target);
}

std::vector<Candidate> gemm_candidates(const GemmProblem& problem, const Target& target,
                                       bool may_split) {
  std::string reason;
  const GemmProblem timed = timed_problem(problem, target);
  BestOfKinds best;
  for (const Recipe& recipe : recipes_for(problem, target, reason)) {
    const std::vector<GemmTile> menu = recipe_tiles(recipe, problem, target);
    if (recipe.math == MathKind::kGroup) {
      consider_warpgroups(menu, recipe.family, timed, may_split, target, best);
      continue;
    }
    const auto planner = [&](const GemmTile& tile) { return plan_for(timed, tile, target); };
    const bool may_cut = recipe.family->may_cut(problem.input) &&
                         (!recipe.family->slices.serial || may_take_turns(problem));
    consider_menu(menu, planner, may_split && may_cut, target, best);
  }
  return in_order(best, timed, target);
}

std::vector<GemmTile> first_tiles(const std::vector<Candidate>& candidates, std::size_t count) {
  std::vector<GemmTile> tiles;
  for (const Candidate& one : candidates)
    if (tiles.size() < count) tiles.push_back(one.tile);
  return tiles;
}

std::vector<GemmTile> leading_tiles(const GemmProblem& problem, const Target& target,
                                    std::size_t count) {
  return first_tiles(gemm_candidates(problem, target), count);
}

GemmTile choose_tile(const GemmProblem& problem, const Target& target) {
  const std::vector<GemmTile> first = leading_tiles(problem, target, 1);
  if (first.empty()) throw std::invalid_argument("choose_tile: the menu is empty");
  return first.front();
}

GemmTile choose_tile_without_turns(const GemmProblem& problem, const Target& target) {
  for (const Candidate& one : gemm_candidates(problem, target))
    if (!one.tile.serial_k) return one.tile;
  throw std::invalid_argument("choose_tile_without_turns: the menu is empty");
}

}  // namespace tcsim::kernels
