#pragma once

#include <cstdint>

namespace tcsim::kernels {

/// How stream-K deals the tiles of D to workers. Workers are CTAs or, if CTAs come in clusters,
/// clusters. Tiles below `shared_tiles` are shared among workers below `units`. All workers take
/// the other tiles whole, in turn, from worker `units` on. Shared tiles and units are divided among
/// `regions`. The k-tiles of a region's tiles form one sequence, which is cut into ranges of nearly
/// equal length, one for each unit, longer ones first.
struct StreamKDeal {
  std::int64_t tiles = 0;    ///< of D; a cluster's tiles count as one
  std::int64_t k_tiles = 1;  ///< of each tile
  std::int64_t shared_tiles = 0;
  std::int64_t units = 0;
  std::int64_t workers = 1;  ///< of the grid, at least `units`
  std::int64_t regions = 1;  ///< divides `units`; `shared_tiles` too, unless they are interleaved
  /// True: tile t and unit u belong to regions t % regions and u % regions. False: neighbours
  /// belong to the same region.
  bool is_interleaved = false;
  /// A range never begins or ends with fewer k-tiles of a tile than this: it does so at the tile's
  /// edge instead.
  std::int64_t fewest_k_tiles = 1;
  int ctas_per_worker = 1;  ///< adjacent in x

  /// Tiles of a region; the first big_regions() have one more.
  [[nodiscard]] std::int64_t tiles_of_region() const { return shared_tiles / regions; }
  [[nodiscard]] std::int64_t big_regions() const { return shared_tiles % regions; }
  /// At least 1, so that there are ranges to count, even if they are empty.
  [[nodiscard]] std::int64_t units_of_region() const { return units == 0 ? 1 : units / regions; }
};

/// The deal of CUTLASS 2.11 (ThreadblockSwizzleStreamK) for `tiles` on a machine with `sms` SMs
/// that each hold `ctas_per_sm` CTAs: one CTA per tile, or more or fewer if the last wave of tiles
/// would leave SMs idle.
StreamKDeal deal_to_ctas(std::int64_t tiles, std::int64_t k_tiles, std::int64_t sms,
                         std::int64_t ctas_per_sm);

/// The deal of CUTLASS 3 for persistent clusters (PersistentTileSchedulerSm90StreamKParams, its
/// heuristic) with `clusters` at once: the last one to two waves are shared, unless the last wave
/// is at least half full or a tile has no more than eight k-tiles. `tiles_n` of the `tiles` lie
/// along n.
StreamKDeal deal_to_clusters(std::int64_t tiles, std::int64_t tiles_n, std::int64_t k_tiles,
                             std::int64_t clusters, int ctas_per_cluster);

/// The deal of CUTLASS 3 that cuts every tile into `slices` of k, one cluster for each; the first
/// slices of a tile may have one k-tile more. Requires slices <= k_tiles.
StreamKDeal deal_in_slices(std::int64_t tiles, std::int64_t k_tiles, int slices,
                           int ctas_per_cluster);

}  // namespace tcsim::kernels
