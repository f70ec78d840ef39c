#pragma once

#include <CLI/CLI.hpp>

namespace tcsim::cli {

/// tcsim rtl build
void add_rtl_command(CLI::App& app, int& status);

}  // namespace tcsim::cli
