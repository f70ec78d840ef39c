#pragma once

#include <CLI/CLI.hpp>

namespace tcsim::cli {

/// Adds `tcsim microbench MACHINE` to `app`: runs the published microbenchmarks of a machine on its
/// model and prints both figures. Mistakes throw ConfigError or IoError; the exit status
/// goes to `status`, which must outlive the parse: kCheckFailed if a row is off by more than
/// --within allows.
void add_microbench_command(CLI::App& app, int& status);

}  // namespace tcsim::cli
