#pragma once

#include <string>
#include <vector>

#include "sim/cli/run_options.hpp"
#include "sim/report/row_table.hpp"

namespace tcsim::cli {

/// Runs every row, planned by sim/run/list.hpp: each in a child process of
/// this binary, so that a row that fails or crashes gets a reason and the others are kept.
/// Rows keep their order in the output. Returns 0 if every row is done, else the status of the
/// first that is not, or 130 if interrupted.
int run_list(std::vector<report::TableRow> rows, const RunOptions& options,
             const std::vector<std::string>& command);

}  // namespace tcsim::cli
