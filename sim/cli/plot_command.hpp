#pragma once

#include <CLI/CLI.hpp>

namespace tcsim::cli {

/// Adds `tcsim plot` to `app`: pictures of runs, lists of runs, tables and sweeps, from the files
/// that they wrote. The exit status goes to `status`, which must outlive the parse.
void add_plot_command(CLI::App& app, int& status);

}  // namespace tcsim::cli
