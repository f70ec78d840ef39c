#pragma once

#include <CLI/CLI.hpp>

namespace tcsim::cli {

/// Adds `tcsim show`, `tcsim compare` and `tcsim metrics` to `app`: commands that read the files
/// of runs and simulate nothing. The exit status goes to `status`, which must outlive the parse.
void add_show_command(CLI::App& app, int& status);
void add_compare_command(CLI::App& app, int& status);
void add_metrics_command(CLI::App& app, int& status);

}  // namespace tcsim::cli
