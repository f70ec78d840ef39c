#pragma once

#include <functional>

#include "workloads/kernels/gemm.hpp"
#include "workloads/kernels/kernel_plan.hpp"

namespace tcsim::kernels {

/// CTAs of the kernel that share an SM: limited by registers (per sub-core), shared memory, warps
/// and CTA slots; 0 if none fits. Requires a tile that can be generated.
int ctas_per_sm(const KernelPlan& plan, const Target& target);
int ctas_per_sm(const GemmProblem& problem, const GemmTile& tile, const Target& target);

/// Estimated SM cycles of the kernel, to rank tiles only (kernels.md 4.2).
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

/// True if the chooser takes `a` before `b`: less time; then the larger tile, the one longer in the
/// direction in which D is longer, the deeper k-tile, more stages.
bool is_preferred(const GemmTile& a, const GemmTile& b, const GemmProblem& problem,
                  const Target& target);

}  // namespace tcsim::kernels
