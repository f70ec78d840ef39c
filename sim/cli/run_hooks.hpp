#pragma once

#include "sim/cli/run_options.hpp"
#include "sim/run/hooks.hpp"

namespace tcsim::cli {

/// True if the user wants to see how far the work is: asked for, or a terminal that hears it.
bool shows_progress(const RunOptions& options);

/// What a command hears of a run and says to it: notes and progress on standard error, signals and
/// the time limit.
run::Hooks hooks_of(const RunOptions& options);

}  // namespace tcsim::cli
