#pragma once

#include <CLI/CLI.hpp>

namespace tcsim::cli {

/// Adds `tcsim machine list|show|explain|schema|diff` to `app`. Mistakes throw ConfigError or
/// IoError; the exit status goes to `status`, which must outlive the parse.
void add_machine_command(CLI::App& app, int& status);

}  // namespace tcsim::cli
