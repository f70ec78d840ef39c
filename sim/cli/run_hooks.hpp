#pragma once

#include "sim/cli/run_options.hpp"
#include "sim/run/hooks.hpp"

namespace tcsim::cli {

/// True if progress is shown: on request, or because standard error is a terminal.
bool shows_progress(const RunOptions& options);

/// Connects a command with its run: notes and progress go to standard error; signals and the time
/// limit stop the run.
run::Hooks hooks_of(const RunOptions& options);

}  // namespace tcsim::cli
