#pragma once

#include <CLI/CLI.hpp>

namespace tcsim::cli {

/// Adds `tcsim mma`, `tcsim mma check FILE` and `tcsim mma tile FILE` to `app`. The exit status
/// goes to `status`, which must outlive the parse. `check` and `tile` are words, not CLI11
/// subcommands, because the command also runs without either.
void add_mma_command(CLI::App& app, int& status);

}  // namespace tcsim::cli
