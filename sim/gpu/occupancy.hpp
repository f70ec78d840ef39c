#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/isa/launch.hpp"
#include "sim/config/machine.hpp"

namespace tcsim::gpu {

/// CTAs of `launch` that one SM of `machine` holds at once, and what limits them. 0 if not even one
/// fits.
struct Occupancy {
  struct Limit {
    std::string resource;  ///< registers, shared memory, warps, CTAs
    int ctas_per_sm = 0;   ///< by this resource alone
  };
  int ctas_per_sm = 0;
  std::string limit;  ///< the limiting resource, or the one that a single thread or CTA exceeds
  std::vector<Limit> limits;  ///< for every resource that the kernel uses
};
Occupancy occupancy(const config::Machine& machine, const isa::KernelLaunch& launch);

/// Clusters of `launch` that `machine` holds at once, the CTAs of each on SMs of one GPC; 0 if it
/// can place none.
std::int64_t resident_clusters(const config::Machine& machine, const isa::KernelLaunch& launch);

/// CTAs of `launch` that `machine` holds at once, in whole clusters where it has them.
std::int64_t resident_ctas(const config::Machine& machine, const isa::KernelLaunch& launch);

}  // namespace tcsim::gpu
