#pragma once

#include <string>
#include <vector>

#include "sim/cli/run_options.hpp"
#include "workloads/import/workload.hpp"

namespace tcsim::cli {

/// Simulates `workload` on the one machine of `options`, writes the run directory and prints the
/// report in the format asked for. `command` is argv, for the manifest. Returns the exit status.
int run_one(const workload::Workload& workload, const RunOptions& options,
            const std::vector<std::string>& command);

}  // namespace tcsim::cli
