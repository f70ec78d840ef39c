#pragma once

#include <cstdint>

namespace tcsim::kernels {

/// How stream-K deals the tiles of D to workers, which are CTAs or, where these come in clusters,
/// clusters. Tiles below `shared_tiles` are shared, by workers below `units`; the others are taken
/// whole, by all workers in turn, from worker `units` on. Shared tiles and units are divided among
/// `regions`: the k-tiles of a region's tiles lie behind one another and are cut into ranges as
/// equal as may be, one for each of its units, longer ones first.
struct StreamKDeal {
  std::int64_t tiles = 0;    ///< of D; a cluster's tiles are one
  std::int64_t k_tiles = 1;  ///< of each
  std::int64_t shared_tiles = 0;
  std::int64_t units = 0;
  std::int64_t workers = 1;  ///< of the grid, at least `units`
  std::int64_t regions = 1;  ///< divides `units`; `shared_tiles` too, unless they are interleaved
  /// Tile t and unit u are of region t % regions and u % regions, or else neighbours of the same.
  bool is_interleaved = false;
  /// Where a range would begin or end with fewer k-tiles of a tile, it does so at the tile's edge.
  std::int64_t fewest_k_tiles = 1;
  int ctas_per_worker = 1;  ///< side by side in x

  /// Tiles of a region; the first big_regions() have one more.
  [[nodiscard]] std::int64_t tiles_of_region() const { return shared_tiles / regions; }
  [[nodiscard]] std::int64_t big_regions() const { return shared_tiles % regions; }
  /// At least 1, so that there are ranges to count, if empty ones.
  [[nodiscard]] std::int64_t units_of_region() const { return units == 0 ? 1 : units / regions; }
};

/// As CUTLASS 2.11 deals `tiles` (ThreadblockSwizzleStreamK) on a machine that holds `ctas_per_sm`
/// CTAs on each of `sms` SMs: one CTA per tile, or more and fewer where the last wave of tiles
/// would leave SMs idle.
StreamKDeal deal_to_ctas(std::int64_t tiles, std::int64_t k_tiles, std::int64_t sms,
                         std::int64_t ctas_per_sm);

/// As CUTLASS 3 deals them to persistent clusters (PersistentTileSchedulerSm90StreamKParams, its
/// heuristic) where `clusters` run at once: the last one to two waves are shared, unless the last
/// one is at least half full or a tile has no more than eight k-tiles. `tiles_n` is the number of
/// tiles along n, of `tiles`.
StreamKDeal deal_to_clusters(std::int64_t tiles, std::int64_t tiles_n, std::int64_t k_tiles,
                             std::int64_t clusters, int ctas_per_cluster);

/// As CUTLASS 3 cuts every tile into `slices` of k, a cluster for each; the first slices of a tile
/// may have one k-tile more. Requires slices <= k_tiles.
StreamKDeal deal_in_slices(std::int64_t tiles, std::int64_t k_tiles, int slices,
                           int ctas_per_cluster);

}  // namespace tcsim::kernels
