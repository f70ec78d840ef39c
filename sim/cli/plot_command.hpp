#pragma once

#include <CLI/CLI.hpp>
#include <string_view>
#include <vector>

namespace tcsim::cli {

/// Adds `tcsim plot` to `app`: pictures of runs, lists of runs, tables and sweeps, from the files
/// that they wrote. The exit status goes to `status`, which must outlive the parse.
void add_plot_command(CLI::App& app, int& status);

/// The words that --kind takes.
std::vector<std::string_view> plot_kinds();

}  // namespace tcsim::cli
