#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "workloads/kernels/gemm.hpp"
#include "workloads/kernels/kernel_plan.hpp"

namespace tcsim::kernels {

/// CTAs of the kernel that share an SM: limited by registers (per sub-core), shared memory, warps
/// and CTA slots; 0 if none fits. Requires a tile that can be generated.
int ctas_per_sm(const KernelPlan& plan, const Target& target);
int ctas_per_sm(const GemmProblem& problem, const GemmTile& tile, const Target& target);

/// One wave of CTAs, SM cycles.
struct WaveCosts {
  double fill = 0;       ///< with the first k-tile, which nothing hides
  double main_loop = 0;  ///< all k-tiles
  double epilogue = 0;
  double k_tile = 0;         ///< the longest of what follows and the latency of loads
  double k_tile_sm = 0;      ///< products, shared memory, hand-over
  double k_tile_memory = 0;  ///< the SM's port, L2, DRAM

  [[nodiscard]] double cycles() const { return fill + main_loop + epilogue; }
};

/// What the estimated time of a kernel consists of, SM cycles.
struct CostTerms {
  std::int64_t ctas = 0;
  std::int64_t slots = 0;  ///< for CTAs, on the whole chip
  std::int64_t full_waves = 0;
  WaveCosts full{};       ///< of a wave that fills all slots
  WaveCosts last{};       ///< of the rest; zeros if there is none
  double start = 0;       ///< of persistent CTAs, whose waves have no fill
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
  double preference = 1;                         ///< of the library for the tile
  double margin = 1;                             ///< of the library for slices
  std::shared_ptr<const KernelFamily> family{};  ///< whose tile it is
  bool has_deeper_twin = false;                  ///< last of all then
  std::optional<double> wave_cycles{};           ///< by the library's rule of waves, if it has one

  /// What candidates are compared by; less is better.
  [[nodiscard]] double rating() const {
    return wave_cycles.value_or(costs.cycles() * preference * margin);
  }
};

/// The second launch of split-K, if `tile` has one: its overhead, and every partial sum read once;
/// what half of the L2 does not hold goes to DRAM and comes back. Of serial split-K the turns of
/// the slices. SM cycles.
double reduction_cycles(const GemmProblem& problem, const GemmTile& tile, const TileCosts& costs,
                        const Target& target);

/// Estimated SM cycles of the kernel, to rank tiles only (kernels.md 4.2).
CostTerms estimate(const KernelPlan& plan, const Target& target);
double estimate_cycles(const KernelPlan& plan, const Target& target);
double estimate_cycles(const GemmProblem& problem, const GemmTile& tile, const Target& target);

/// Plans a tile that can be generated.
using TilePlanner = std::function<KernelPlan(const GemmTile&)>;

/// The tile of `menu` and the number of slices with the smallest estimated time; with
/// `may_split` = false one slice. Requires a menu that is not empty.
GemmTile choose_from(const std::vector<GemmTile>& menu, const TilePlanner& planner, bool may_split,
                     const Target& target);

/// The tiles that the chooser ranks first, at most `count`: of every CTA tile, with and without
/// slices, the one with the depth, stages and slices that it prefers. The first is choose_from's.
std::vector<GemmTile> leading_from(const std::vector<GemmTile>& menu, const TilePlanner& planner,
                                   bool may_split, const Target& target, std::size_t count);

/// Of every CTA tile, with and without slices, what the chooser prefers, first what it takes.
std::vector<Candidate> candidates_from(const std::vector<GemmTile>& menu,
                                       const TilePlanner& planner, bool may_split,
                                       const Target& target);
/// The same for a product, of all kinds of kernels that its library has; empty if there is no
/// kernel. With `may_split` = false k is not cut.
std::vector<Candidate> gemm_candidates(const GemmProblem& problem, const Target& target,
                                       bool may_split = true);

/// True if the chooser takes `a` before `b`: less time; then the larger tile, the one longer in the
/// direction in which D is longer, the deeper k-tile, more stages.
bool is_preferred(const GemmTile& a, const GemmTile& b, const GemmProblem& problem,
                  const Target& target);

}  // namespace tcsim::kernels
