#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/sweep/metrics.hpp"

namespace tcsim::sweep {

/// One row per point: number, parameters, workload, state, reason, metrics, keys. The same points
/// give the same bytes whatever ran them, when and where.
std::string sweep_csv(const Plan& plan, const std::vector<Row>& rows);

/// One row per configuration: the parts of a workload together.
std::string totals_csv(const Plan& plan, const std::vector<Total>& totals);

/// A database with tables point, param, metric and failure and the view wide, in the empty file
/// `path`. Throws IoError.
void write_sqlite(const std::filesystem::path& path, const Plan& plan,
                  const std::vector<Row>& rows);

/// Writes sweep.csv, totals.csv, report.html and sweep.sqlite into the folder, each in one step.
void collect(const Folder& folder, const std::vector<Row>& rows);

}  // namespace tcsim::sweep
