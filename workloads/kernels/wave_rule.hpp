#pragma once

#include <vector>

#include "workloads/kernels/gemm.hpp"

namespace tcsim::kernels {

/// A rule that compares tiles by waves of CTAs on the SMs and nothing else, fitted to the names of
/// kernels that a library launched. It says what the library takes, not how long that lasts.
struct WaveRule {
  struct Tile {
    int m = 0;
    int n = 0;
    int sliced_k = 1;
    double cost = 1;  ///< of a multiply-add, against one at the peak rate
    double lead = 0;  ///< k that a CTA's start and end last as long as
    double idle = 0;  ///< what an SM in its last wave loses if it has no CTA more: CTAs
    int ctas = 1;     ///< of a wave, on each SM
  };
  std::vector<Tile> tiles;  ///< empty: the library has no such rule
  int least_k = 1;          ///< of a slice
  double slice_cycles = 0;  ///< that cutting k costs
  double sum_cycles = 0;    ///< and that an SM takes for each partial sum

  [[nodiscard]] bool has(const GemmTile& tile) const { return find(tile) != nullptr; }
  [[nodiscard]] const Tile* find(const GemmTile& tile) const;
};

/// What the rule compares, SM cycles; infinite for a tile that the rule does not know.
double wave_cycles(const WaveRule& rule, const GemmProblem& problem, const GemmTile& tile,
                   const Target& target);

}  // namespace tcsim::kernels
