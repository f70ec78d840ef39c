#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/isa/opcode.hpp"
#include "sim/config/machine.hpp"

namespace tcsim::report {

/// What makes runs faster that wait for `cause`, in a form that can be tried: options after the
/// command of the run. A test applies each remedy to ten kernels and requires that all of them
/// gain.
struct Remedy {
  std::string_view cause;            ///< Verdict::bound_by, bank_conflicts, the reason of a wait
  std::string text;                  ///< without the options
  std::vector<std::string> options;  ///< "--set", "clocks.memory_mhz=1458"
};

/// What remedies depend on in a run.
struct RemedyInputs {
  std::vector<isa::Opcode> mmas;  ///< MMA instructions that it executes
  std::string unit;               ///< tensor, cuda-core
  bool could_use_tensor = false;  ///< --unit cuda-core keeps it from tensor cores
  std::string swizzled_tile{};    ///< its tile with the swizzle that it lacks; empty: lacks none
};

/// Every remedy for a run on `machine`, at most one for each cause. A cause is missing if no remedy
/// helps every kernel.
std::vector<Remedy> remedies(const config::Machine& machine, const RemedyInputs& run);

}  // namespace tcsim::report
