#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/cli/validate_options.hpp"
#include "sim/report/run_directory.hpp"
#include "sim/validate/score.hpp"

namespace tcsim::cli {

/// A row that was to be run and gave no time.
struct FailedRow {
  validate::Measurement measurement;
  std::string reason;
};

struct ValidationRuns {
  std::vector<validate::Comparison> rows;  ///< in the order of the measurements
  std::vector<FailedRow> failed;
  bool interrupted = false;
};

/// Simulates every measurement, with options.tiles tiles where it has a choice, each in a process
/// of its own, at most options.jobs at once, longest first. A row of which a run fails has failed.
/// A result that `files` holds from an earlier call with the same inputs and the same tcsim is
/// taken from there, and every new one is kept there at once.
ValidationRuns simulate_measurements(const std::vector<validate::Measurement>& measurements,
                                     const ValidateOptions& options,
                                     const std::optional<report::RunDirectory>& files);

}  // namespace tcsim::cli
