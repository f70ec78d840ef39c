#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <tuple>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/cost_model.hpp"
#include "workloads/kernels/kernel_plan.hpp"

namespace tcsim::kernels {
namespace {

/// By what the libraries' ranking seems to multiply the time of a tile. Fitted to the measured
/// times of products whose kernels are not known, each set as a whole: 177 of A100 (AIC, 10 to 320
/// us, k from 256 on; two thirds fitted, the error of the estimates falls from 9.2 to 6.5 % on the
/// rest) and 92 of V100 (DEEPBENCH). Tiles lying and standing count the same; 64x256 is none of
/// cuBLAS's on V100 (kernels.md 1) and the last choice there as well.
struct Preference {
  int m, n, sliced_k;
  double factor;
};
constexpr std::array kCopyingPreferences{Preference{256, 128, 1, 0.7}, Preference{128, 256, 1, 0.7},
                                         Preference{128, 128, 1, 0.9}, Preference{128, 64, 1, 1.1},
                                         Preference{64, 256, 1, 1.2},  Preference{64, 64, 1, 0.9},
                                         Preference{64, 64, 2, 0.75}};
constexpr std::array kStagedPreferences{Preference{256, 128, 1, 0.7}, Preference{128, 256, 1, 0.7},
                                        Preference{128, 128, 1, 0.9}, Preference{64, 256, 1, 1.2}};

/// A tile of half the height or width, which the menu has, would do.
bool is_half_empty(const KernelPlan& plan) {
  constexpr int kSmallest = 64;
  const GemmTile& tile = plan.tile;
  return (tile.m > kSmallest && plan.problem.m <= tile.m / 2) ||
         (tile.n > kSmallest && plan.problem.n <= tile.n / 2);
}

bool is_convolution(const KernelPlan& plan) {
  return plan.a.gather != nullptr || plan.b.gather != nullptr;
}

/// Of convolutions on V100 the preferences hold without slices: 37 layers below 150 us (DEEPBENCH)
/// take what smaller tiles do in fewer slices.
bool is_preferred_kind(const KernelPlan& plan) {
  return plan.recipe.math != MathKind::kQuadPair || !is_convolution(plan) || plan.tile.split_k == 1;
}

double preference(const KernelPlan& plan, const Target& target) {
  // Hopper's libraries run kernels of another kind (wgmma): their times say nothing of these tiles.
  const bool is_fitted =
      plan.recipe.math == MathKind::kLdsm || plan.recipe.math == MathKind::kQuadPair;
  if (!is_fitted || target.features.wgmma || !is_preferred_kind(plan)) return 1;
  if (is_scaled_int8(plan.problem, plan.recipe)) return 1;
  std::span<const Preference> table = kStagedPreferences;
  if (plan.recipe.mover == Mover::kCopy) table = kCopyingPreferences;
  const GemmTile& tile = plan.tile;
  for (const Preference& row : table)
    if (row.m == tile.m && row.n == tile.n && row.sliced_k == tile.sliced_k)
      return is_half_empty(plan) ? std::max(row.factor, 1.0) : row.factor;
  return 1;
}

/// True for a largest tile of 16-bit elements whose k-tiles could be 64 long: of 256x128 and
/// 128x256 the libraries of Ampere have only 64x3 (kernels.md 4.1). With those the times of 19
/// products of AIC with k up to 128 are met, which end before longer k-tiles pay. Of convolutions
/// they have 256x128_32x3 (kernels.md 5.1).
bool has_deeper_twin(const KernelPlan& plan, const Target& target) {
  constexpr int kLargest = 256 * 128;
  constexpr int kDepth = 64;
  const GemmTile& tile = plan.tile;
  return !target.features.wgmma && plan.recipe.mover == Mover::kCopy && !is_convolution(plan) &&
         plan.a.element_bytes == 2 && tile.m * tile.n == kLargest && tile.k < kDepth &&
         plan.shared_bytes() * kDepth / tile.k + target.shared_reserved_per_cta <=
             target.shared_bytes_per_sm;
}

/// Less is better.
using Rank = std::tuple<bool, double, int, int, int, int, int>;

Rank rank(const KernelPlan& plan, const Target& target) {
  // Slices must promise a tenth: with them estimates are less certain and rounding differs.
  constexpr double kSplitMargin = 1.1;
  const GemmTile& tile = plan.tile;
  const int length = plan.problem.n > plan.problem.m ? tile.n : tile.m;
  return {has_deeper_twin(plan, target),
          estimate_cycles(plan, target) * preference(plan, target) *
              (tile.split_k > 1 ? kSplitMargin : 1),
          -tile.m * tile.n,
          tile.split_k,
          -length,
          -tile.k,
          -tile.stages};
}

struct Ranked {
  Rank rank;
  GemmTile tile;
};

/// What makes tiles different kernels for the chooser's list: CTA tile, groups, slices or none.
using Kind = std::tuple<int, int, int, bool>;

Kind kind_of(const GemmTile& tile) { return {tile.m, tile.n, tile.sliced_k, tile.split_k > 1}; }

/// k-tiles that a slice must have for the libraries to cut k into so many.
std::int64_t least_k_tiles(const KernelPlan& plan, int slices) {
  constexpr std::int64_t kLeast = 16;  // as the preferences
  // Products on V100 with k up to 4096 take as long as with two slices at most, those with half a
  // million far shorter (DEEPBENCH, the 47 products below 140 us or with such a k).
  constexpr std::int64_t kVoltaLeastOfMany = 48;
  const bool is_volta_product = plan.recipe.math == MathKind::kQuadPair && !is_convolution(plan);
  return is_volta_product && slices > 2 ? kVoltaLeastOfMany : kLeast;
}

/// True if slices of the tile of `plan`, of whose CTAs there are `ctas`, are worth a try. Largest
/// tiles of Ampere are cut where they fill more than half of the machine and slices are long: five
/// products of AIC with k from 5120 to 12288 and 56 to 64 such tiles take what three slices do,
/// nine of 32 to 59 us with shorter k or fewer tiles what smaller tiles do without.
bool may_slice(const KernelPlan& plan, std::int64_t ctas, std::int64_t slots, int slices) {
  constexpr int kLargestCopiedTile = 128 * 128;
  constexpr std::int64_t kLeastDepthOfLargest = 1536;
  const GemmTile& tile = plan.tile;
  const bool is_largest = plan.recipe.mover == Mover::kCopy && tile.m * tile.n > kLargestCopiedTile;
  if (!is_largest) return true;
  return 2 * ctas > slots && plan.problem.k >= kLeastDepthOfLargest * slices;
}

/// Slices worth a try for the tile of `plan`: none where its CTAs fill the machine without, none
/// for more than two waves (kernels.md 4.2).
std::vector<int> slice_counts(const KernelPlan& plan, const Target& target) {
  constexpr std::array kCounts{2, 3, 4, 5, 6, 8, 9, 10, 12, 14, 16, 18, 20, 24, 28, 32};
  constexpr std::int64_t kMostWaves = 2;
  const std::int64_t ctas = plan.raster.tiles_m() * plan.raster.tiles_n() * plan.problem.batch;
  const std::int64_t slots = std::int64_t{target.sms} * std::max(1, ctas_per_sm(plan, target));
  std::vector<int> counts;
  if (ctas >= slots) return counts;
  for (const int count : kCounts)
    if (may_slice(plan, ctas, slots, count) &&
        plan.k_tiles() >= least_k_tiles(plan, count) * count && ctas * count <= kMostWaves * slots)
      counts.push_back(count);
  return counts;
}

/// The product whose times decide: that plugin times one with every power of two of rows, and takes
/// for others the tile of the next one (TensorRT-LLM, gemmPluginProfiler.cpp).
GemmProblem timed_problem(GemmProblem problem, const Target& target) {
  std::string reason;
  const std::optional<Recipe> recipe = find_recipe(problem, target, reason);
  if (recipe && is_scaled_int8(problem, *recipe))
    problem.m = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(problem.m)));
  return problem;
}

}  // namespace

bool is_preferred(const GemmTile& a, const GemmTile& b, const GemmProblem& problem,
                  const Target& target) {
  const GemmProblem timed = timed_problem(problem, target);
  const auto rank_of = [&](const GemmTile& tile) {
    return rank(plan_for(timed, tile, target), target);
  };
  return rank_of(a) < rank_of(b);
}

std::vector<GemmTile> leading_from(const std::vector<GemmTile>& menu, const TilePlanner& planner,
                                   bool may_split, const Target& target, std::size_t count) {
  std::map<Kind, Ranked> best;
  const auto consider = [&](const KernelPlan& plan) {
    const Ranked ranked{rank(plan, target), plan.tile};
    const auto [place, is_first] = best.try_emplace(kind_of(plan.tile), ranked);
    if (!is_first && ranked.rank < place->second.rank) place->second = ranked;
  };
  for (GemmTile tile : menu) {
    const KernelPlan plan = planner(tile);
    consider(plan);
    if (!may_split) continue;
    for (const int slices : slice_counts(plan, target)) {
      tile.split_k = slices;
      if (!KSlices::leaves_empty_slice(plan.problem, tile)) consider(planner(tile));
    }
  }
  std::vector<Ranked> order;
  order.reserve(best.size());
  for (const auto& [kind, ranked] : best) order.push_back(ranked);
  std::ranges::sort(order, {}, &Ranked::rank);
  std::vector<GemmTile> tiles;
  for (const Ranked& ranked : order)
    if (tiles.size() < count) tiles.push_back(ranked.tile);
  return tiles;
}

GemmTile choose_from(const std::vector<GemmTile>& menu, const TilePlanner& planner, bool may_split,
                     const Target& target) {
  if (menu.empty()) throw std::invalid_argument("choose_from: the menu is empty");
  return leading_from(menu, planner, may_split, target, 1).front();
}

std::vector<GemmTile> leading_tiles(const GemmProblem& problem, const Target& target,
                                    std::size_t count) {
  const GemmProblem timed = timed_problem(problem, target);
  const auto planner = [&](const GemmTile& tile) { return plan_for(timed, tile, target); };
  // The times of INT8 products are linear in k from the first CTA on, 0.14 us for 64 on the A100
  // (AIC_INT8, 197 shapes): those kernels do not split it.
  const bool may_split = problem.input != Element::kInt8;
  return leading_from(gemm_tiles(problem, target), planner, may_split, target, count);
}

GemmTile choose_tile(const GemmProblem& problem, const Target& target) {
  const std::vector<GemmTile> first = leading_tiles(problem, target, 1);
  if (first.empty()) throw std::invalid_argument("choose_tile: the menu is empty");
  return first.front();
}

}  // namespace tcsim::kernels
