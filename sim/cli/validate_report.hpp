#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/cli/table.hpp"
#include "sim/run/validation.hpp"
#include "sim/validate/measurement.hpp"

namespace tcsim::cli {

/// What `tcsim validate` prints: scores, worst rows, what was not scored and what failed; as CSV
/// the rows, as JSON validation_json. Requires at least one row.
std::string validation_text(Format format, const validate::MeasurementList& list,
                            const run::ValidationRuns& runs);

nlohmann::ordered_json validation_json(const validate::MeasurementList& list,
                                       const run::ValidationRuns& runs);

/// One record per row; where tiles were tried also the fastest and the nearest one. Requires at
/// least one row.
std::string rows_csv(const std::vector<validate::Comparison>& rows);

/// One line per row that failed.
std::string failed_text(const run::ValidationRuns& runs);
/// A line for each reason for which rows are not scored, with the first such row; empty if there is
/// none.
std::string skipped_text(const validate::MeasurementList& list);

}  // namespace tcsim::cli
