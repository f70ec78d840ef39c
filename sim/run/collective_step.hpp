#pragma once

#include "sim/config/machine.hpp"
#include "sim/report/network_report.hpp"
#include "sim/run/request.hpp"
#include "workloads/networks/program.hpp"

namespace tcsim::run {

/// The collective operation of the GPUs of `request` in `step`, by the model of
/// networks::collective_time: nothing is simulated, the L2 is unchanged, no kernel runs meanwhile,
/// and the board draws its constant power. Requires step.is_collective().
report::NetworkStep collective_step(const networks::Step& step, const RunRequest& request,
                                    const config::Machine& machine);

}  // namespace tcsim::run
