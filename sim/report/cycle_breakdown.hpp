#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/isa/cycle.hpp"
#include "sim/stats/scope.hpp"

namespace tcsim::report {

/// Cycles of all sub-cores that were charged to one reason.
struct CycleShare {
  std::string reason;        ///< counter name without "cycles_", for example "tensor_pipe_busy"
  std::string label;         ///< for people: "tensor pipe busy"
  std::uint64_t cycles = 0;  ///< summed over the sub-cores
  int tenths = 0;            ///< share in tenths of a percent; all reasons add up to exactly 1000
  double fraction = 0.0;     ///< unrounded
};

/// Every counter of `sub_cores` named cycles_*, in the order of the tree. Throws InternalError
/// unless they add up to `elapsed` cycles of every sub-core: each cycle belongs to exactly one
/// reason.
std::vector<CycleShare> cycle_breakdown(const stats::Scope& sub_cores, Cycle elapsed);

}  // namespace tcsim::report
