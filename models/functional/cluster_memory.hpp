#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/functional/shared_memory.hpp"
#include "models/functional/warp.hpp"
#include "models/numerics/result.hpp"

namespace tcsim::functional {

/// The shared memory of the CTAs of a cluster, accessible to the others as long as its CTA runs.
class ClusterMemory {
 public:
  /// Adds the shared memory and the warps of the CTA of the next rank; both outlive this object.
  void add(SharedMemory& shared, std::span<const Warp> warps) { ctas_.push_back({&shared, warps}); }

  /// The shared memory of rank `rank`. Refusal kMistake: there is no such CTA, or it has ended.
  [[nodiscard]] numerics::Result<SharedMemory*> of(std::int64_t rank) const;

 private:
  struct Member {
    SharedMemory* shared;
    std::span<const Warp> warps;
  };

  std::vector<Member> ctas_;  ///< by rank
};

}  // namespace tcsim::functional
