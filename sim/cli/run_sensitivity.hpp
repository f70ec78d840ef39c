#pragma once

#include "sim/cli/run_options.hpp"
#include "sim/run/sensitivity.hpp"

namespace tcsim::cli {

/// The answers that `options` ask for of `run`, with as many children at once as they allow. A
/// signal leaves the rest out.
report::Sensitivity sensitivity_of(const RunOptions& options, const run::AnsweredRun& run);

}  // namespace tcsim::cli
