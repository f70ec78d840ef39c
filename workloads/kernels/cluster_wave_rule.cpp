#include "workloads/kernels/cluster_wave_rule.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "models/isa/cycle.hpp"
#include "models/isa/group_mma.hpp"
#include "workloads/kernels/swapped_product.hpp"
#include "workloads/kernels/warpgroup_plan.hpp"

namespace tcsim::kernels {
namespace {

constexpr double kThousand = 1000;
constexpr double kSharedBytesPerCycle = 128;

double cubed(double value) { return value * value * value; }

double real(std::int64_t number) { return static_cast<double>(number); }

/// Cluster tiles of D, over all matrices.
std::int64_t cluster_tiles(const GemmProblem& problem, const GemmTile& tile) {
  return ceil_div<std::int64_t>(problem.m, std::int64_t{tile.m} * tile.cluster_m) *
         ceil_div<std::int64_t>(problem.n, std::int64_t{tile.n} * tile.cluster_n) * problem.batch;
}

bool holds(const ClusterWaveRule::Factor& row, const GemmTile& tile, const GemmTile& product) {
  const auto is = [](int told, int part) { return told == 0 || told == part; };
  const int multiple = std::min(64, 1 << std::countr_zero(static_cast<unsigned>(product.n)));
  return is(row.rows, product.m) && (!row.roles || *row.roles == tile.roles) &&
         (!row.swapped || *row.swapped == tile.swapped) && product.n >= row.least_width &&
         (row.most_width == 0 || product.n <= row.most_width) && is(row.multiple, multiple) &&
         is(row.cluster_m, tile.cluster_m) && is(row.cluster_n, tile.cluster_n);
}

double k_tile_cycles(const ClusterWaveRule& rule, const GemmTile& product, const GemmTile& tile,
                     double ctas, const Target& target) {
  constexpr double kBytesOfRow = warpgroups::kRowBytes;
  const double area = real(product.m) * product.n;
  const double multiply = area * product.k / target.macs_per_cycle_per_sm;
  const double blocks = real(product.m) / isa::kGroupRows;
  const double shared = blocks * (isa::kGroupRows + product.n) * kBytesOfRow / kSharedBytesPerCycle;
  const double busy =
      std::cbrt(cubed(multiply) + cubed(rule.shared_share * shared)) + rule.k_tile_cycles;
  const double fill = (product.m + product.n) * kBytesOfRow / rule.fill_bytes;
  const double shared_in_cluster =
      (real(tile.n) / tile.cluster_m + real(tile.m) / tile.cluster_n) * kBytesOfRow;
  const double l2 = ctas * shared_in_cluster / (rule.l2_share * target.l2_bytes_per_cycle);
  return std::cbrt(cubed(busy) + cubed(fill) + cubed(l2));
}

}  // namespace

double cluster_wave_cycles(const ClusterWaveRule& rule, const GemmProblem& problem,
                           const GemmTile& tile, const Target& target) {
  const GemmTile product = tile.swapped ? swapped(tile) : tile;
  const int cluster = tile.cluster_m * tile.cluster_n;
  const std::int64_t slots = warpgroups::clusters_at_once(target, cluster);
  const std::int64_t tiles = cluster_tiles(problem, tile) * tile.split_k;
  const double rounds =
      real(ceil_div(tiles, slots)) + rule.started_rounds * real(tiles) / real(slots);
  const bool is_ping_pong = tile.roles == WarpRoles::kPingPong;
  const double area = real(tile.m) * tile.n / kThousand;
  const double own = is_ping_pong
                         ? rule.ping_pong_tile_cycles + rule.ping_pong_area_cycles * area
                         : rule.cooperative_tile_cycles + rule.cooperative_area_cycles * area;
  const std::int64_t k_tiles =
      ceil_div(ceil_div<std::int64_t>(problem.k, tile.k), std::int64_t{tile.split_k});
  const double k_tile =
      k_tile_cycles(rule, product, tile, real(std::min(tiles, slots) * cluster), target);
  const double results = real(problem.m) * real(problem.n);
  const double moved =
      ((real(problem.m) + real(problem.n)) * real(problem.k) * element_bytes(problem.input) +
       results * element_bytes(Element::kFp16)) *
      real(problem.batch);
  const double ctas = real(tiles) * cluster;
  double cycles = rule.constant_cycles + rounds * (k_tile * real(k_tiles) + own) +
                  moved / (rule.dram_share * target.dram_bytes_per_cycle) +
                  ctas * (rule.cta_cycles + rule.cta_area_cycles * area);
  if (tile.split_k > 1)
    cycles += rule.slices_cycles +
              tile.split_k * (rule.slice_cycles + rule.sum_cycles * results / kThousand);
  for (const ClusterWaveRule::Factor& row : rule.factors)
    if (holds(row, tile, product)) cycles *= row.factor;
  return cycles;
}

int most_slices(const ClusterWaveRule& rule, const GemmProblem& problem, const GemmTile& tile,
                const Target& target) {
  if (problem.batch > 1) return 1;
  const std::int64_t slots = warpgroups::clusters_at_once(target, tile.cluster_m * tile.cluster_n);
  const std::int64_t most =
      std::min({std::int64_t{rule.most_slices}, slots / cluster_tiles(problem, tile),
                problem.k / rule.least_k});
  return static_cast<int>(std::max<std::int64_t>(1, most));
}

}  // namespace tcsim::kernels
