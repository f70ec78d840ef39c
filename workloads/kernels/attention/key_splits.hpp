#pragma once

#include <vector>

#include "workloads/kernels/attention/attention_family.hpp"

namespace tcsim::kernels {

/// A number of CTAs that may share the keys of a tile.
struct SplitCandidate {
  int splits = 1;
  double waves = 0;  ///< of CTAs

  /// Of the slots of its waves that it fills.
  [[nodiscard]] double efficiency() const;
};

/// What a library's rule makes of a problem.
struct AttentionChoice {
  FusedTile whole;  ///< if no keys are shared
  FusedTile pick;
  std::int64_t tiles = 0;   ///< of Q, by which splits are counted; 0: keys cannot be shared
  std::int64_t blocks = 0;  ///< of keys
  std::vector<SplitCandidate> candidates;  ///< none where the machine is full without
  int most_splits = 1;                     ///< the candidate that the rule takes
};

/// Requires `family` to be find_attention's for `problem`.
AttentionChoice choose_attention(const AttentionFamily& family, const AttentionProblem& problem,
                                 const Target& target);

}  // namespace tcsim::kernels
