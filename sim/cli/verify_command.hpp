#pragma once

#include <CLI/CLI.hpp>

namespace tcsim::cli {

/// Adds `tcsim verify rtl` to `app`: the Verilated matrix units against models/numerics, stage by
/// stage. `status` becomes 1 at a divergence, a measured result that differs, a rate that is not
/// the machine's, or, with --require-coverage, a situation that never occurred. `status` must
/// outlive the parse. Mistakes throw UsageError, a combination that no chosen unit has NotCovered,
/// unreadable files throw IoError.
void add_verify_command(CLI::App& app, int& status);

}  // namespace tcsim::cli
