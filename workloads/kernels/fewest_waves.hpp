#pragma once

#include "workloads/kernels/gemm.hpp"
#include "workloads/kernels/library.hpp"

namespace tcsim::kernels {

/// By what DeepGEMM compares tiles (its first public version, get_best_configs): the fewest waves,
/// then the fullest last wave, then the narrowest tile; with 1024 rows or more two CTAs share A by
/// multicast where that divides the columns. Rows are the fewest of the menu of `family`
/// that hold all of D, otherwise the most; of contiguous groups the most that divide all of theirs.
/// Other tiles have no rating.
std::optional<double> fewest_waves_rating(const GemmProblem& problem, const GemmTile& tile,
                                          const KernelFamily& family, int sms);

}  // namespace tcsim::kernels
