#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "sim/cli/run_options.hpp"

namespace tcsim::cli {

/// Adds `tcsim run` to `app`. `argv` is the command line, for the manifest; the exit status goes to
/// `status`, which must outlive the parse.
void add_run_command(CLI::App& app, const std::vector<std::string>& argv, int& status);

/// Runs what `options` say, in this process or as rows of a list. Returns the exit status.
int run_workload(const RunOptions& options, const std::vector<std::string>& argv);

}  // namespace tcsim::cli
