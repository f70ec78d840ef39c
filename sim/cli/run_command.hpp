#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace tcsim::cli {

/// Adds `tcsim run` to `app`. `argv` is the command line, for the manifest; the exit status goes to
/// `status`, which must outlive the parse.
void add_run_command(CLI::App& app, const std::vector<std::string>& argv, int& status);

}  // namespace tcsim::cli
