#include "workloads/kernels/stream_k_deal.hpp"

#include <algorithm>

#include "models/isa/cycle.hpp"

namespace tcsim::kernels {
namespace {

constexpr std::int64_t kFewestOfCta = 2;      // k-tiles (CUTLASS, kMinItersPerSkBlock)
constexpr std::int64_t kFewestOfCluster = 8;  // CUTLASS, min_iters_per_sk_unit_
constexpr std::int64_t kMostRegions = 8;      // CUTLASS, max_sk_groups_

/// How many k-tiles of time are saved if `ctas` CTAs share `tiles` tiles instead of one CTA for
/// each, less the cost of joining sums, also in k-tiles (the cost function of CUTLASS 2.11).
std::int64_t saved_k_tiles(std::int64_t tiles, std::int64_t k_tiles, std::int64_t sms,
                           std::int64_t ctas) {
  const std::int64_t waves = ceil_div(ctas, sms);
  const std::int64_t range = ceil_div(tiles * k_tiles, ctas) * waves;
  const bool is_aligned = ctas % tiles == 0;
  const std::int64_t peers = is_aligned ? ctas / tiles : ceil_div(ctas, tiles) + 1;
  const double seams = is_aligned ? 0 : 0.02 * static_cast<double>(peers * range);
  const auto joining =
      static_cast<std::int64_t>(static_cast<double>(2 * waves + 2 * peers) + seams);
  return ceil_div(tiles, sms) * k_tiles - range - joining;
}

/// Shares `first_tiles` tiles among `fewest` to `most` CTAs, whichever number saves most, or does
/// not share them.
void share(StreamKDeal& deal, std::int64_t first_tiles, std::int64_t sms, std::int64_t fewest,
           std::int64_t most) {
  std::int64_t saved = 0;
  const std::int64_t enough = first_tiles * deal.k_tiles / kFewestOfCta;
  for (std::int64_t ctas = fewest; ctas <= std::min(most, enough); ++ctas) {
    const std::int64_t now = saved_k_tiles(first_tiles, deal.k_tiles, sms, ctas);
    if (now < saved) continue;
    saved = now;
    deal.units = ctas;
  }
  if (deal.units > 0) deal.shared_tiles = first_tiles;
}

/// The largest number of regions that divides units and tiles, or else only units, and leaves
/// ranges long enough.
std::int64_t regions_of(const StreamKDeal& deal, std::int64_t tiles_n) {
  const auto is_valid = [&](std::int64_t regions) {
    return deal.units % regions == 0 &&
           deal.shared_tiles / regions * deal.k_tiles >= deal.units / regions * kFewestOfCluster;
  };
  std::int64_t fallback = 1;
  for (std::int64_t regions = std::min(tiles_n, kMostRegions); regions > 1; --regions) {
    if (!is_valid(regions)) continue;
    if (deal.shared_tiles % regions == 0) return regions;
    fallback = std::max(fallback, regions);
  }
  return fallback;
}

}  // namespace

StreamKDeal deal_to_ctas(std::int64_t tiles, std::int64_t k_tiles, std::int64_t sms,
                         std::int64_t ctas_per_sm) {
  StreamKDeal deal{.tiles = tiles, .k_tiles = k_tiles, .workers = tiles};
  const std::int64_t waves = tiles / sms;
  const std::int64_t rest = tiles % sms;
  if (rest == 0) return deal;
  if (waves < ctas_per_sm) {
    share(deal, rest, sms, std::min(sms, rest + 1), sms * (ctas_per_sm - waves));
  } else {
    if (ctas_per_sm > 1 && waves % ctas_per_sm == ctas_per_sm - 1)
      share(deal, rest, sms, std::min(sms, rest + 1), sms);
    if (deal.units == 0)
      share(deal, rest + sms, sms, sms, sms * (ctas_per_sm - (waves - 1) % ctas_per_sm));
  }
  if (deal.units > deal.shared_tiles && deal.units % deal.shared_tiles == 0)
    deal.regions = deal.shared_tiles;
  deal.workers = deal.units + tiles - deal.shared_tiles;
  return deal;
}

StreamKDeal deal_to_clusters(std::int64_t tiles, std::int64_t tiles_n, std::int64_t k_tiles,
                             std::int64_t clusters, int ctas_per_cluster) {
  StreamKDeal deal{.tiles = tiles,
                   .k_tiles = k_tiles,
                   .workers = std::min(tiles, clusters),
                   .is_interleaved = true,
                   .fewest_k_tiles = kFewestOfCluster,
                   .ctas_per_worker = ctas_per_cluster};
  const std::int64_t rest = tiles % clusters;
  if (rest == 0 || 2 * rest >= clusters || k_tiles <= kFewestOfCluster) return deal;
  const std::int64_t whole_waves = std::max<std::int64_t>(0, tiles / clusters - 1);
  const std::int64_t shared = tiles - whole_waves * clusters;
  deal.units = std::min(clusters, shared * k_tiles / kFewestOfCluster);
  deal.shared_tiles = shared;
  deal.workers = std::min(clusters, deal.units + tiles - shared);
  // If the number of units is a multiple of the number of tiles, the units are k slices of each
  // tile.
  const bool has_slices = shared < deal.units && deal.units % shared == 0;
  deal.regions = has_slices ? shared : regions_of(deal, tiles_n);
  return deal;
}

StreamKDeal deal_in_slices(std::int64_t tiles, std::int64_t k_tiles, int slices,
                           int ctas_per_cluster) {
  return {.tiles = tiles,
          .k_tiles = k_tiles,
          .shared_tiles = tiles,
          .units = tiles * slices,
          .workers = tiles * slices,
          .regions = tiles,
          .is_interleaved = true,
          .ctas_per_worker = ctas_per_cluster};
}

}  // namespace tcsim::kernels
