#pragma once

#include <string>
#include <vector>

#include "sim/cli/run_options.hpp"
#include "workloads/import/workload.hpp"

namespace tcsim::cli {

/// Runs every workload on every machine of `options`: each pair in a child process of
/// this binary, so that a row that fails or crashes is a row with a reason and the others stand.
/// Rows keep their order in the output. Returns 0 if every row is done, else the status of the
/// first that is not, or 130 if interrupted.
int run_list(const std::vector<workload::Workload>& workloads, const RunOptions& options,
             const std::vector<std::string>& command);

}  // namespace tcsim::cli
