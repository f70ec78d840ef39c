#pragma once

#include "workloads/kernels/gemm.hpp"
#include "workloads/kernels/library.hpp"

namespace tcsim::kernels {

/// The rule by which DeepGEMM compares tiles (its first public version, get_best_configs): the
/// fewest waves, then the fullest last wave, then the narrowest tile. With 1024 rows or more, two
/// CTAs share A by multicast if that divides the columns. The tile has the fewest rows in the menu
/// of `family` that hold all of D, otherwise the most; for contiguous groups, the most rows that
/// divide all groups. Other tiles rate as infinity.
double fewest_waves_rating(const GemmProblem& problem, const GemmTile& tile,
                           const KernelFamily& family, int sms);

}  // namespace tcsim::kernels
