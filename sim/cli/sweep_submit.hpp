#pragma once

#include <string>

#include "sim/cli/sweep_options.hpp"
#include "sim/sweep/plan.hpp"

namespace tcsim::cli {

/// The plan of the SPEC in `file`. Throws config::ConfigError with every mistake, IoError.
sweep::Plan read_plan(const std::string& file);

/// Prepares the folder and hands its open points to Slurm, or prints the commands. Returns the
/// exit status. Throws IoError if sbatch refuses.
int submit_sweep(const SweepOptions& options);

}  // namespace tcsim::cli
