#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "sim/report/row_table.hpp"
#include "sim/run/child_runs.hpp"
#include "sim/run/request.hpp"
#include "workloads/import/workload.hpp"

namespace tcsim::run {

/// How many of `count` workloads of a list `request` asks for.
std::size_t asked_rows(std::size_t count, const RunRequest& request);

/// The rows of a list, not run yet: all machines of the first workload, then of the second, and so
/// on; as many workloads as request.limit allows.
std::vector<report::TableRow> planned_rows(const std::vector<workload::Workload>& workloads,
                                           const RunRequest& request);

/// The rows of a network on several machines, not run yet.
std::vector<report::TableRow> planned_network_rows(const RunRequest& request);

/// Called for each row that has ended, with its place and its exit status.
using RowListener = std::function<void(std::size_t index, int status)>;

/// Runs every row of `rows` as `request` asks, each in its own process, and fills in the outcome.
/// Files of a row go to its folder below `directory`, if there is one.
void run_rows(std::vector<report::TableRow>& rows, const RunRequest& request,
              const std::optional<std::filesystem::path>& directory, const ChildPlan& plan,
              const RowListener& finished);

}  // namespace tcsim::run
