#pragma once

#include <vector>

#include "models/isa/opcode.hpp"
#include "sim/config/machine.hpp"
#include "sim/report/sensitivity.hpp"
#include "sim/run/trials.hpp"

namespace tcsim::run {

/// What the sensitivity of a run's time needs to know of a run that has been simulated.
struct AnsweredRun {
  RunRequest request;               ///< of one workload on one machine
  const config::Machine& machine;   ///< as simulated
  std::vector<isa::Opcode> mmas{};  ///< that it executes
  double time_us = 0;               ///< that it took
};

/// How the time of `run` changes if each resource of its machine in turn is `percent` faster. Each
/// machine is simulated in a child process, at the fidelity of the request. A resource that cannot
/// be faster, or whose run fails, has a reason instead of a time.
report::Sensitivity find_sensitivity(const AnsweredRun& run, double percent, const ChildPlan& plan,
                                     const TrialListener& finished);

}  // namespace tcsim::run
