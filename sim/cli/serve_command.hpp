#pragma once

#include <CLI/CLI.hpp>

namespace tcsim::cli {

/// `tcsim serve`.
void add_serve_command(CLI::App& app, int& status);

}  // namespace tcsim::cli
