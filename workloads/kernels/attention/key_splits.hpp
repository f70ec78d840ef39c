#pragma once

#include <vector>

#include "workloads/kernels/attention/attention_family.hpp"

namespace tcsim::kernels {

/// A number of CTAs that may share the keys of a tile.
struct SplitCandidate {
  int splits = 1;
  double waves = 0;  ///< waves of CTAs

  /// Share of the slots of its waves that it fills.
  [[nodiscard]] double efficiency() const;
};

/// The result of a library's rule for a problem.
struct AttentionChoice {
  FusedTile whole;  ///< if no keys are shared
  FusedTile pick;
  std::int64_t tiles = 0;   ///< tiles of Q, which count for splits; 0: keys cannot be shared
  std::int64_t blocks = 0;  ///< of keys
  std::vector<SplitCandidate> candidates;  ///< empty if the machine is full without splits
  int most_splits = 1;                     ///< the candidate that the rule picks
};

/// Requires `family` to be find_attention's result for `problem`.
AttentionChoice choose_attention(const AttentionFamily& family, const AttentionProblem& problem,
                                 const Target& target);

}  // namespace tcsim::kernels
