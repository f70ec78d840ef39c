#pragma once

#include <CLI/CLI.hpp>

namespace tcsim::cli {

/// Adds `tcsim sweep plan | run | work | status | submit | collect` to `app`.
void add_sweep_command(CLI::App& app, int& status);

}  // namespace tcsim::cli
