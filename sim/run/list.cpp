#include "sim/run/list.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/report/network_report.hpp"
#include "sim/run/prepare/prepare.hpp"

namespace tcsim::run {
namespace {

using report::RowStatus;
using report::TableRow;

void take(const ChildOutcome& outcome, TableRow& row) {
  row.result = outcome.result;
  if (row.result.is_object()) {
    const bool is_network = row.result.contains("steps");
    row.title = row.result.at(is_network ? "subject" : "title").get<std::string>();
    if (is_network) row.result = report::network_summary(std::move(row.result));
  }
  if (outcome.status == kDone) {
    row.status = RowStatus::kDone;
    row.reason.clear();
    return;
  }
  if (!outcome.started) return;
  row.status = outcome.is_partial ? RowStatus::kStopped : RowStatus::kFailed;
  row.reason = outcome.is_partial && row.result.is_object()
                   ? row.result["simulation"]["stopped_by"].get<std::string>()
                   : outcome.failure;
}

/// Adds a row that is not run yet.
void add_planned(std::vector<TableRow>& rows, int number, const std::string& machine,
                 const std::string& words, const std::string& title) {
  TableRow row;
  row.number = number;
  row.machine = machine;
  row.workload = words;
  row.title = title;
  row.reason = "interrupted";
  row.directory =
      fmt::format("rows/{:04}-{}", rows.size() + 1, std::filesystem::path(machine).stem().string());
  rows.push_back(std::move(row));
}

}  // namespace

std::size_t asked_rows(std::size_t count, const RunRequest& request) {
  return request.limit > 0 ? std::min(count, static_cast<std::size_t>(request.limit)) : count;
}

std::vector<TableRow> planned_rows(const std::vector<workload::Workload>& workloads,
                                   const RunRequest& request) {
  std::vector<TableRow> rows;
  for (std::size_t i = 0; i < asked_rows(workloads.size(), request); ++i)
    for (const std::string& machine : request.machines)
      add_planned(rows, static_cast<int>(i) + 1, machine, workloads[i].text,
                  title_of(workloads[i]));
  return rows;
}

std::vector<TableRow> planned_network_rows(const RunRequest& request) {
  std::vector<TableRow> rows;
  for (const std::string& machine : request.machines)
    add_planned(rows, 1, machine, request.workload, request.workload);
  return rows;
}

void run_rows(std::vector<TableRow>& rows, const RunRequest& request,
              const std::optional<std::filesystem::path>& directory, const ChildPlan& plan,
              const RowListener& finished) {
  std::vector<ChildRun> runs;
  runs.reserve(rows.size());
  for (const TableRow& row : rows) {
    ChildRun run{request};
    run.request.workload = row.workload;
    run.request.machines = {row.machine};
    run.request.jobs = 1;
    run.request.limit = 0;
    if (directory) run.directory = *directory / row.directory;
    runs.push_back(std::move(run));
  }
  run_children(runs, plan, [&](std::size_t index, const ChildOutcome& outcome) {
    take(outcome, rows[index]);
    finished(index, outcome.status);
  });
}

}  // namespace tcsim::run
