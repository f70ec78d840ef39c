#pragma once

#include "sim/cli/run_options.hpp"
#include "sim/config/load.hpp"
#include "sim/report/streams_report.hpp"
#include "workloads/networks/placement.hpp"
#include "workloads/networks/program.hpp"

namespace tcsim::cli {

/// Runs `options.streams` instances of `program`, each a stream of its own, and once more one after
/// the other, each in one simulation. Fills the times of `run` and how it ended. Throws as
/// prepare_run does.
void run_streams(const RunOptions& options, const config::MachineFile& machine,
                 const networks::Program& program, const networks::Placement& placement,
                 report::StreamsRun& run);

}  // namespace tcsim::cli
