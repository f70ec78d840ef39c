#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "sim/cli/run_options.hpp"

namespace tcsim::cli {

/// Runs what `options` say, `trace:FILE` as the workload, and returns the exit status.
using RunTrace = std::function<int(const RunOptions& options)>;

/// Adds `tcsim trace emit|info|run` to `app`; `trace run FILE` takes the options of `tcsim run` and
/// calls `run`. The exit status goes to `status`, which must outlive the parse. Mistakes throw
/// ConfigError, UsageError, NotCovered or std::filesystem::filesystem_error.
void add_trace_command(CLI::App& app, int& status, RunTrace run);

}  // namespace tcsim::cli
