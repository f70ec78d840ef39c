#pragma once

#include <CLI/CLI.hpp>

namespace tcsim::cli {

/// Adds `tcsim import KIND FILE -o NET.yaml`; `status` receives the exit status.
void add_import_command(CLI::App& app, int& status);

}  // namespace tcsim::cli
