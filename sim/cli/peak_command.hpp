#pragma once

#include <CLI/CLI.hpp>

namespace tcsim::cli {

/// Adds `tcsim peak MACHINE` to `app`. Mistakes throw ConfigError or IoError; the exit
/// status goes to `status`, which must outlive the parse.
void add_peak_command(CLI::App& app, int& status);

}  // namespace tcsim::cli
