#pragma once

#include <vector>

#include "models/isa/opcode.hpp"
#include "sim/config/machine.hpp"
#include "sim/report/sensitivity.hpp"
#include "sim/run/trials.hpp"

namespace tcsim::run {

/// A run that has been simulated, as far as the answers of its time depend on it.
struct AnsweredRun {
  RunRequest request;               ///< of one workload on one machine
  const config::Machine& machine;   ///< as simulated
  std::vector<isa::Opcode> mmas{};  ///< that it executes
  double time_us = 0;               ///< that it took
};

/// How the time of `run` answers to every resource of its machine being `percent` faster. Each
/// machine is simulated in a child process, at the fidelity of the request. What cannot be faster,
/// or fails, has a reason in the place of a time.
report::Sensitivity find_sensitivity(const AnsweredRun& run, double percent, const ChildPlan& plan,
                                     const TrialListener& finished);

}  // namespace tcsim::run
