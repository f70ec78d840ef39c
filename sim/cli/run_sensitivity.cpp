#include "sim/cli/run_sensitivity.hpp"

#include <fmt/ostream.h>

#include <iostream>

#include "sim/cli/interrupt.hpp"
#include "sim/cli/run_hooks.hpp"
#include "sim/run/request_fields.hpp"

namespace tcsim::cli {

report::Sensitivity sensitivity_of(const RunOptions& options, const run::AnsweredRun& run) {
  const bool announces = shows_progress(options);
  return run::find_sensitivity(
      run, options.sensitivity_percent.value(),
      {run::this_program(), run::jobs_of(options.request), InterruptGuard::pending_signal},
      [announces](std::size_t number, std::size_t count) {
        if (announces) fmt::print(std::cerr, "sensitivity: {} of {}\n", number, count);
      });
}

}  // namespace tcsim::cli
