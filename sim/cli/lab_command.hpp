#pragma once

#include <CLI/CLI.hpp>

namespace tcsim::cli {

/// `tcsim lab list|start|check|grade`.
void add_lab_command(CLI::App& app, int& status);

}  // namespace tcsim::cli
