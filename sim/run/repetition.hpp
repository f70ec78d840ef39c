#pragma once

#include <cstdint>

#include "models/isa/launch.hpp"
#include "sim/config/machine.hpp"

namespace tcsim::run {

/// How often a launch repeats the same work that a sampled run may leave out.
struct Repetition {
  std::int64_t trips = 0;  ///< iterations of the longest loop of the warps; 0: none may be left out
  double waves = 0;        ///< of CTAs; 0: none may be left out
};

/// CTAs that `machine` holds at once; 0 for a launch that does not fit.
std::int64_t slots_for(const isa::KernelLaunch& launch, const config::Machine& machine);

/// Iterations are those of the CTA in the middle of the grid.
Repetition repetition_of(const isa::KernelLaunch& launch, const config::Machine& machine);

}  // namespace tcsim::run
