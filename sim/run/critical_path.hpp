#pragma once

#include <vector>

#include "sim/config/machine.hpp"
#include "sim/gpu/simulation.hpp"
#include "sim/run/hooks.hpp"
#include "sim/run/prepare/prepare.hpp"
#include "sim/run/request.hpp"
#include "sim/timeline/critical_path.hpp"

namespace tcsim::run {

/// The chain of waits that leads to the end of each kernel of a run that ended as `outcome`.
/// Simulates the run once more and observes the SMs on which its kernels ended, or all SMs if CTAs
/// of a cluster depend on each other. Nothing if that is stopped.
std::vector<timeline::KernelPath> critical_paths(const RunRequest& request, const PreparedRun& run,
                                                 const config::Machine& machine,
                                                 const gpu::Outcome& outcome, const Hooks& hooks);

}  // namespace tcsim::run
