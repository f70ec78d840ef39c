#pragma once

#include <cstdint>

#include "models/isa/launch.hpp"
#include "sim/config/machine.hpp"

namespace tcsim::run {

/// How often a launch does the same again, as far as a sampled run may leave it out.
struct Repetition {
  std::int64_t trips = 0;  ///< of the longest loop that warps are in; 0: none may be left out
  double waves = 0;        ///< of CTAs; 0: they differ, so none may be left out
};

/// CTAs that `machine` holds at once; of a launch that does not fit none.
std::int64_t slots_for(const isa::KernelLaunch& launch, const config::Machine& machine);

/// Trips are those of the CTA in the middle of the grid.
Repetition repetition_of(const isa::KernelLaunch& launch, const config::Machine& machine);

}  // namespace tcsim::run
