#include "workloads/kernels/wave_rule.hpp"

#include <algorithm>
#include <limits>

#include "models/isa/cycle.hpp"

namespace tcsim::kernels {

const WaveRule::Tile* WaveRule::find(const GemmTile& tile) const {
  const auto found = std::ranges::find_if(tiles, [&](const Tile& row) {
    return row.m == tile.m && row.n == tile.n && row.sliced_k == tile.sliced_k;
  });
  return found == tiles.end() ? nullptr : &*found;
}

double wave_cycles(const WaveRule& rule, const GemmProblem& problem, const GemmTile& tile,
                   const Target& target) {
  const WaveRule::Tile* row = rule.find(tile);
  if (row == nullptr) return std::numeric_limits<double>::infinity();
  const std::int64_t ctas = ceil_div<std::int64_t>(problem.m, tile.m) *
                            ceil_div<std::int64_t>(problem.n, tile.n) * problem.batch *
                            tile.split_k;
  const auto of_an_sm = ceil_div<std::int64_t>(ctas, target.sms);
  const auto last = static_cast<double>(of_an_sm % row->ctas);
  auto turns = static_cast<double>(of_an_sm);
  if (last > 0) turns += row->idle * (1 - last / row->ctas);
  const double depth = static_cast<double>(problem.k) / tile.split_k + row->lead;
  const double cycles = turns * tile.m * tile.n * row->cost * depth / target.macs_per_cycle_per_sm;
  if (tile.split_k == 1) return cycles;
  const double sums = static_cast<double>(problem.m * problem.n) * tile.split_k / target.sms;
  return cycles + rule.slice_cycles + rule.sum_cycles * sums;
}

}  // namespace tcsim::kernels
