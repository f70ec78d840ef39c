#pragma once

#include <CLI/CLI.hpp>

namespace tcsim::cli {

/// Adds `tcsim library list`, `show` and `explain`. Their status goes to `status`.
void add_library_command(CLI::App& app, int& status);

}  // namespace tcsim::cli
