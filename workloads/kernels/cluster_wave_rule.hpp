#pragma once

#include <optional>
#include <vector>

#include "workloads/kernels/gemm.hpp"

namespace tcsim::kernels {

/// A rule that compares tiles of persistent warpgroup kernels by rounds of clusters, fitted to the
/// names of kernels that a library launched. It predicts which tile the library picks, not how long
/// the kernel runs: a constant of many cycles makes differences count less where products are
/// small.
///
/// cycles = (constant + rounds * (k-tiles * one k-tile + a tile's own) + operands through DRAM +
/// CTAs and their area + slices) * factors, where one k-tile is (t^3 + s^3 + f^3 + l^3)^(1/3) of
/// multiply-adds (with reads of shared memory: s), the SM's fill port and the L2.
struct ClusterWaveRule {
  /// Multiplies the cycles of tiles that meet all conditions by `factor`. A condition of 0 or
  /// nothing accepts any tile.
  struct Factor {
    int rows = 0;  ///< of the warpgroups' product; along n if swapped
    std::optional<WarpRoles> roles;
    std::optional<bool> swapped;
    int least_width = 0;  ///< columns of that product
    int most_width = 0;
    int multiple = 0;   ///< the largest power of two up to 64 that divides the width
    int cluster_m = 0;  ///< along m and n of D
    int cluster_n = 0;
    double factor = 1;
  };
  double constant_cycles = 0;
  double ping_pong_tile_cycles = 0;  ///< per tile, in addition to its k-tiles
  double cooperative_tile_cycles = 0;
  double ping_pong_area_cycles = 0;  ///< per tile, for each 1000 elements of D
  double cooperative_area_cycles = 0;
  double k_tile_cycles = 0;   ///< per k-tile, in addition to products and copies
  double shared_share = 0;    ///< share of the time in which only products read shared memory
  double fill_bytes = 1;      ///< per SM and cycle
  double l2_share = 1;        ///< share of the L2's bandwidth
  double dram_share = 1;      ///< share of DRAM's bandwidth
  double started_rounds = 0;  ///< share of a round that counts by CTAs, in addition to whole rounds
  double cta_cycles = 0;      ///< per CTA tile, whichever SM makes it
  double cta_area_cycles = 0;  ///< per 1000 elements of a CTA tile
  double slices_cycles = 0;    ///< cost of cutting k
  double slice_cycles = 0;     ///< cost of each slice
  double sum_cycles = 0;       ///< cost of 1000 partial sums
  int least_k = 1;             ///< least k of a slice
  int most_slices = 1;
  std::vector<Factor> factors;
};

/// The value that the rule compares, in SM cycles.
double cluster_wave_cycles(const ClusterWaveRule& rule, const GemmProblem& problem,
                           const GemmTile& tile, const Target& target);

/// The most slices that the rule compares: 1, and further ones as long as one round of clusters
/// holds them.
int most_slices(const ClusterWaveRule& rule, const GemmProblem& problem, const GemmTile& tile,
                const Target& target);

}  // namespace tcsim::kernels
