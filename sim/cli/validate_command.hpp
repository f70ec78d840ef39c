#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tcsim::cli {

/// Adds `tcsim validate`, which simulates measured kernels and prints the errors. Its exit status
/// goes to `status`.
void add_validate_command(CLI::App& app, const std::vector<std::string>& argv, int& status);

}  // namespace tcsim::cli
