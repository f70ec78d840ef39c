#pragma once

#include "sim/cli/run_options.hpp"

namespace tcsim::cli {

/// `tcsim run --dry-run`: prints what `options` would simulate and the cost of it. Returns
/// the status.
int tell_forecast(const RunOptions& options);

}  // namespace tcsim::cli
