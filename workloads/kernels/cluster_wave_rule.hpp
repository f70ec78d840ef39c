#pragma once

#include <optional>
#include <vector>

#include "workloads/kernels/gemm.hpp"

namespace tcsim::kernels {

/// A rule that compares tiles of persistent kernels of warpgroups by rounds of clusters, fitted to
/// names of kernels that a library launched. It says what the library takes, not how long that
/// lasts: a constant of many cycles makes differences count less where products are small.
///
/// cycles = (constant + rounds * (k-tiles * one k-tile + a tile's own) + operands through DRAM +
/// CTAs and their area + slices) * factors, where one k-tile is (t^3 + s^3 + f^3 + l^3)^(1/3) of
/// multiply-adds (with reads of shared memory: s), the SM's fill port and the L2.
struct ClusterWaveRule {
  /// The cycles of tiles for which all holds are multiplied by `factor`. 0 or nothing: any.
  struct Factor {
    int rows = 0;  ///< of the warpgroups' product: along n if swapped
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
  double ping_pong_tile_cycles = 0;  ///< of a tile, besides its k-tiles
  double cooperative_tile_cycles = 0;
  double ping_pong_area_cycles = 0;  ///< of a tile, for each 1000 elements of D
  double cooperative_area_cycles = 0;
  double k_tile_cycles = 0;    ///< of a k-tile, besides products and copies
  double shared_share = 0;     ///< of the time in which products read shared memory alone
  double fill_bytes = 1;       ///< of an SM in a cycle
  double l2_share = 1;         ///< of the L2's bandwidth
  double dram_share = 1;       ///< of DRAM's
  double started_rounds = 0;   ///< share of a round that counts by CTAs, beside whole rounds
  double cta_cycles = 0;       ///< of a CTA's tile, whichever SM makes it
  double cta_area_cycles = 0;  ///< of 1000 elements of it
  double slices_cycles = 0;    ///< that cutting k costs
  double slice_cycles = 0;     ///< and each slice
  double sum_cycles = 0;       ///< and 1000 partial sums
  int least_k = 1;             ///< of a slice
  int most_slices = 1;
  std::vector<Factor> factors;
};

/// What the rule compares, SM cycles.
double cluster_wave_cycles(const ClusterWaveRule& rule, const GemmProblem& problem,
                           const GemmTile& tile, const Target& target);

/// Slices that the rule compares: 1, and as many more as one round of clusters holds.
int most_slices(const ClusterWaveRule& rule, const GemmProblem& problem, const GemmTile& tile,
                const Target& target);

}  // namespace tcsim::kernels
