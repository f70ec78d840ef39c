#pragma once

#include "workloads/kernels/cost_model.hpp"
#include "workloads/kernels/gemm.hpp"
#include "workloads/kernels/library.hpp"

namespace tcsim::kernels {

/// Estimated SM cycles of a warp-specialised kernel of `family`, only to rank tiles. Waves are
/// rounds in which every CTA has one tile. Requires why_not_warp_specialised to be empty and
/// family.persistent.
CostTerms estimate_warp_specialised(const GemmProblem& problem, const GemmTile& tile,
                                    const KernelFamily& family, const Target& target);

}  // namespace tcsim::kernels
