#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "workloads/kernels/gemm.hpp"
#include "workloads/kernels/kernel_plan.hpp"

namespace tcsim::kernels {

/// The L1 fill port of an SM (microarchitecture.md 5).
inline constexpr double kSmBytesPerCycle = 64;

/// CTAs of the kernel that share an SM, limited by registers (per sub-core), shared memory, warps
/// and CTA slots; 0 if none fits. Requires a tile that can be generated.
int ctas_per_sm(const KernelPlan& plan, const Target& target);
int ctas_per_sm(const GemmProblem& problem, const GemmTile& tile, const Target& target);

/// Costs of one wave of CTAs, SM cycles.
struct WaveCosts {
  double fill = 0;       ///< start with the first k-tile, which nothing hides
  double main_loop = 0;  ///< all k-tiles
  double epilogue = 0;
  double k_tile = 0;         ///< the maximum of the next two and the latency of loads
  double k_tile_sm = 0;      ///< products, shared memory, hand-over
  double k_tile_memory = 0;  ///< the SM's port, L2, DRAM

  [[nodiscard]] double cycles() const { return fill + main_loop + epilogue; }
};

/// What the estimated time of a kernel consists of, SM cycles.
struct CostTerms {
  std::int64_t ctas = 0;
  std::int64_t slots = 0;  ///< for CTAs on the whole chip
  std::int64_t full_waves = 0;
  WaveCosts full{};       ///< a wave that fills all slots
  WaveCosts last{};       ///< the remaining CTAs; zeros if there are none
  double start = 0;       ///< persistent CTAs, whose waves have no fill
  double turn_round = 0;  ///< between waves
  double reduction = 0;   ///< the second launch of split-K

  [[nodiscard]] double cycles() const {
    return start + reduction + turn_round + static_cast<double>(full_waves) * full.cycles() +
           last.cycles();
  }
};

/// A tile that the chooser has considered.
struct Candidate {
  GemmTile tile;
  CostTerms costs{};
  double preference = 1;                         ///< the library's factor for the tile
  double margin = 1;                             ///< the library's factor for slices
  std::shared_ptr<const KernelFamily> family{};  ///< the family that has the tile
  bool has_deeper_twin = false;                  ///< if true, the tile is ranked last
  std::optional<double> wave_cycles{};           ///< by the library's wave rule, if it has one

  /// The value by which candidates are compared; smaller is better.
  [[nodiscard]] double rating() const {
    return wave_cycles.value_or(costs.cycles() * preference * margin);
  }
};

/// SM cycles of the second launch of split-K, if `tile` has one: its overhead, and one read of
/// every partial sum. Partial sums that half of the L2 does not hold go to DRAM and come back. For
/// serial split-K: the turns of the slices.
double reduction_cycles(const GemmProblem& problem, const GemmTile& tile, const TileCosts& costs,
                        const Target& target);

/// Estimated SM cycles of the kernel, only to rank tiles (kernels.md 4.2).
CostTerms estimate(const KernelPlan& plan, const Target& target);
double estimate_cycles(const KernelPlan& plan, const Target& target);
double estimate_cycles(const GemmProblem& problem, const GemmTile& tile, const Target& target);

/// Plans a tile that can be generated.
using TilePlanner = std::function<KernelPlan(const GemmTile&)>;

/// The preferred candidate for each CTA tile of `menu`, with and without slices, the chooser's
/// choice first: each has the depth, stages and slices that the chooser prefers. If `may_split` is
/// false, k is not cut.
std::vector<Candidate> candidates_from(const std::vector<GemmTile>& menu,
                                       const TilePlanner& planner, bool may_split,
                                       const Target& target);
/// The same for a product, over all kinds of kernels that its library has; empty if there is no
/// kernel. If `may_split` is false, k is not cut.
std::vector<Candidate> gemm_candidates(const GemmProblem& problem, const Target& target,
                                       bool may_split = true);
/// The same for the tiles of `menu` alone, warpgroup tiles of `family` that can be generated for
/// `problem`, without slices.
std::vector<Candidate> warpgroup_candidates(const std::vector<GemmTile>& menu,
                                            const std::shared_ptr<const KernelFamily>& family,
                                            const GemmProblem& problem, const Target& target);

/// The tiles of the first `count` of `candidates`, or of all.
std::vector<GemmTile> first_tiles(const std::vector<Candidate>& candidates, std::size_t count);

/// True if the chooser prefers `a` to `b`: less time; then the larger tile, the one that is longer
/// in the longer direction of D, the deeper k-tile, more stages.
bool is_preferred(const GemmTile& a, const GemmTile& b, const GemmProblem& problem,
                  const Target& target);

}  // namespace tcsim::kernels
