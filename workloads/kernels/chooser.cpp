#include <algorithm>
#include <array>
#include <stdexcept>
#include <tuple>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/cost_model.hpp"
#include "workloads/kernels/kernel_plan.hpp"

namespace tcsim::kernels {
namespace {

/// Less is better.
using Rank = std::tuple<double, int, int, int, int, int>;

Rank rank(const GemmTile& tile, const GemmProblem& problem, const Target& target) {
  // Slices must promise a tenth: with them estimates are less certain and rounding differs.
  constexpr double kSplitMargin = 1.1;
  const int length = problem.n > problem.m ? tile.n : tile.m;
  return {estimate_cycles(problem, tile, target) * (tile.split_k > 1 ? kSplitMargin : 1.0),
          -tile.m * tile.n,
          tile.split_k,
          -length,
          -tile.k,
          -tile.stages};
}

/// Slices worth a try for `tile`: none where its CTAs fill the machine without, none that leaves a
/// slice fewer than kLeastKTiles, none for more than two waves (kernels.md 4.2).
std::vector<int> slice_counts(const GemmProblem& problem, const GemmTile& tile,
                              const Target& target) {
  constexpr std::array kCounts{2, 3, 4, 5, 6, 8, 9, 10, 12, 14, 16, 18, 20, 24, 28, 32};
  constexpr std::int64_t kLeastKTiles = 4;
  constexpr std::int64_t kMostWaves = 2;
  const std::int64_t ctas = ceil_div<std::int64_t>(problem.m, tile.m) *
                            ceil_div<std::int64_t>(problem.n, tile.n) * problem.batch;
  const std::int64_t slots =
      std::int64_t{target.sms} * std::max(1, ctas_per_sm(problem, tile, target));
  std::vector<int> counts;
  if (ctas >= slots) return counts;
  for (const int count : kCounts)
    if (ceil_div<std::int64_t>(problem.k, tile.k) >= kLeastKTiles * count &&
        ctas * count <= kMostWaves * slots)
      counts.push_back(count);
  return counts;
}

}  // namespace

bool is_preferred(const GemmTile& a, const GemmTile& b, const GemmProblem& problem,
                  const Target& target) {
  return rank(a, problem, target) < rank(b, problem, target);
}

GemmTile choose_tile(const GemmProblem& problem, const Target& target) {
  const std::vector<GemmTile> tiles = gemm_tiles(problem, target);
  if (tiles.empty()) throw std::invalid_argument("choose_tile: the menu is empty");
  GemmTile best = tiles.front();
  Rank best_rank = rank(best, problem, target);
  const auto consider = [&](const GemmTile& tile) {
    const Rank its_rank = rank(tile, problem, target);
    if (its_rank >= best_rank) return;
    best = tile;
    best_rank = its_rank;
  };
  for (GemmTile tile : tiles) {
    consider(tile);
    for (const int count : slice_counts(problem, tile, target)) {
      tile.split_k = count;
      if (!KSlices::leaves_empty_slice(problem, tile)) consider(tile);
    }
  }
  return best;
}

}  // namespace tcsim::kernels
