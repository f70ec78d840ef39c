#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/functional/shared_memory.hpp"
#include "models/functional/warp.hpp"
#include "models/numerics/result.hpp"

namespace tcsim::functional {

/// The shared memory of the CTAs of a cluster, which others reach as long as they run.
class ClusterMemory {
 public:
  /// That of the CTA of the next rank, and its warps; both outlive this object.
  void add(SharedMemory& shared, std::span<const Warp> warps) { ctas_.push_back({&shared, warps}); }

  /// That of rank `rank`. Refusal kMistake: there is none, or its CTA has ended.
  [[nodiscard]] numerics::Result<SharedMemory*> of(std::int64_t rank) const;

 private:
  struct Member {
    SharedMemory* shared;
    std::span<const Warp> warps;
  };

  std::vector<Member> ctas_;  ///< by rank
};

}  // namespace tcsim::functional
