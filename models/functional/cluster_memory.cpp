#include "models/functional/cluster_memory.hpp"

#include <algorithm>
#include <string>

namespace tcsim::functional {

numerics::Result<SharedMemory*> ClusterMemory::of(std::int64_t rank) const {
  if (rank < 0 || rank >= std::ssize(ctas_))
    return numerics::mistake("names rank " + std::to_string(rank) + " of a cluster of " +
                             std::to_string(ctas_.size()) + " CTAs");
  const Member& cta = ctas_[static_cast<std::size_t>(rank)];
  if (std::ranges::all_of(cta.warps, &Warp::exited))
    return numerics::mistake("reaches the shared memory of the CTA of rank " +
                             std::to_string(rank) + ", which has ended");
  return cta.shared;
}

}  // namespace tcsim::functional
