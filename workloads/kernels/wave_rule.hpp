#pragma once

#include <vector>

#include "workloads/kernels/gemm.hpp"

namespace tcsim::kernels {

/// A rule that compares tiles only by waves of CTAs on the SMs, fitted to the names of kernels that
/// a library launched. It predicts which tile the library picks, not how long the kernel runs.
struct WaveRule {
  struct Tile {
    int m = 0;
    int n = 0;
    int sliced_k = 1;
    double cost = 1;  ///< of a multiply-add, relative to one at the peak rate
    double lead = 0;  ///< k that takes as long as the start and end of a CTA
    double idle = 0;  ///< what an SM loses in its last wave if it has no other CTA, in CTAs
    int ctas = 1;     ///< per wave and SM
  };
  std::vector<Tile> tiles;  ///< empty: the library has no such rule
  int least_k = 1;          ///< per slice
  double slice_cycles = 0;  ///< cost of cutting k
  double sum_cycles = 0;    ///< cost per SM and partial sum

  [[nodiscard]] bool has(const GemmTile& tile) const { return find(tile) != nullptr; }
  [[nodiscard]] const Tile* find(const GemmTile& tile) const;
};

/// The value that the rule compares, in SM cycles; infinite for a tile that the rule does not know.
double wave_cycles(const WaveRule& rule, const GemmProblem& problem, const GemmTile& tile,
                   const Target& target);

}  // namespace tcsim::kernels
