#pragma once

#include "sim/config/load.hpp"
#include "sim/report/streams_report.hpp"
#include "sim/run/hooks.hpp"
#include "sim/run/request.hpp"
#include "workloads/networks/placement.hpp"
#include "workloads/networks/program.hpp"

namespace tcsim::run {

/// Runs `request.streams` instances of `program`, each in its own stream, and then once more one
/// after the other, each time in one simulation. Fills the times of `run` and how it ended. Throws
/// as prepare_run does.
void run_streams(const RunRequest& request, const config::MachineFile& machine,
                 const networks::Program& program, const networks::Placement& placement,
                 const Hooks& hooks, report::StreamsRun& run);

}  // namespace tcsim::run
