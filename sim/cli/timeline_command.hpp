#pragma once

#include <CLI/CLI.hpp>

namespace tcsim::cli {

/// `tcsim timeline RUN`: cycle by cycle what one SM did, as text or for a pipeline viewer.
void add_timeline_command(CLI::App& app, int& status);

}  // namespace tcsim::cli
