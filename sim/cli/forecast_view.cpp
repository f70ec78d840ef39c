#include "sim/cli/forecast_view.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <vector>

#include "sim/errors/errors.hpp"
#include "sim/files/json_text.hpp"
#include "sim/report/layout.hpp"
#include "sim/run/forecast.hpp"
#include "sim/sweep/estimate.hpp"

namespace tcsim::cli {
namespace {

using Json = nlohmann::ordered_json;
using run::Forecast;

/// All rows together, and what that is on the clock.
struct Total {
  run::SimulationWork work;
  double seconds = 0;  ///< of processors, every cycle simulated
  double sampled_s = 0;
  double wall_s = 0;      ///< as asked for
  double memory_mib = 0;  ///< of all processes that there are at once
};

double memory_mib_of(const std::vector<Forecast>& runs, std::size_t at_once) {
  std::vector<double> needs;
  for (const Forecast& run : runs) needs.push_back(run.memory_mib);
  std::ranges::sort(needs, std::greater());
  needs.resize(std::min(needs.size(), at_once));
  return std::accumulate(needs.begin(), needs.end(), 0.0);
}

/// The runs that `rows` belong to. The steps of a network on one machine are a run: they are
/// sampled all or none.
std::vector<Forecast> runs_of(const std::vector<Forecast>& rows, bool are_steps) {
  if (!are_steps) return rows;
  std::vector<Forecast> runs;
  for (const Forecast& row : rows) {
    if (runs.empty() || runs.back().machine != row.machine)
      runs.emplace_back().machine = row.machine;
    Forecast& run = runs.back();
    run.work += row.work;
    run.seconds += row.seconds;
    run.sampled_s += row.sampled_s;
    run.memory_mib = std::max(run.memory_mib, row.memory_mib);
  }
  return runs;
}

Total total_of(const std::vector<Forecast>& runs, const run::RunRequest& request, bool is_list) {
  Total total;
  double longest_s = 0;
  std::size_t rows = 0;
  for (const Forecast& run : runs) {
    if (run.refused.empty()) ++rows;
    longest_s = std::max(longest_s, run::asked_seconds(request, run));
    total.work += run.work;
    total.seconds += run.seconds;
    total.sampled_s += run.sampled_s;
    total.wall_s += run::asked_seconds(request, run);
  }
  const double jobs = run::jobs_of(request);
  // Rows of a list have a process each; threads share one run, its memory side being one's.
  const double share = is_list
                           ? 1 / std::min(jobs, static_cast<double>(std::max<std::size_t>(rows, 1)))
                           : std::max(1 / jobs, run::read_simulation_cost().memory_share);
  total.wall_s *= share;
  if (is_list) total.wall_s = std::max(total.wall_s, longest_s);
  const auto processes = static_cast<std::size_t>(is_list ? run::jobs_of(request) : 1);
  total.memory_mib = memory_mib_of(runs, processes);
  return total;
}

Json row_json(const Forecast& row) {
  Json json{{"workload", row.title}, {"machine", row.machine}};
  if (!row.refused.empty()) {
    json["refused"] = row.refused;
    return json;
  }
  json.update({{"kernels", row.kernels},
               {"ctas", row.ctas},
               {"warp_instructions", row.work.warp_instructions},
               {"mma_instructions", row.work.mma_instructions},
               {"sectors", row.work.sectors},
               {"buffer_sectors", row.work.buffer_sectors},
               {"trips", row.repetition.trips},
               {"waves", row.repetition.waves},
               {"sms", row.held.sms},
               {"l2_lines", row.held.l2_lines},
               {"resident_warps", row.held.warps},
               {"expected_s", row.seconds},
               {"expected_sampled_s", row.sampled_s},
               {"expected_memory_mib", row.memory_mib}});
  return json;
}

std::string json_text_of(const std::vector<Forecast>& rows, const Total& total) {
  Json runs = Json::array();
  for (const Forecast& row : rows) runs.push_back(row_json(row));
  return files::json_text(Json{{"runs", runs},
                               {"warp_instructions", total.work.warp_instructions},
                               {"expected_s", total.seconds},
                               {"expected_sampled_s", total.sampled_s},
                               {"expected_wall_s", total.wall_s},
                               {"expected_memory_mib", total.memory_mib}},
                          2) +
         "\n";
}

Table table_of(const std::vector<Forecast>& rows, Format format) {
  const auto count = [format](std::int64_t value) {
    return format == Format::kCsv ? std::to_string(value) : report::with_thousands(value);
  };
  Table table{{"workload", "machine", "kernels", "CTAs", "warp instructions", "MMAs", "seconds",
               "sampled", "MiB"},
              {}};
  for (const Forecast& row : rows) {
    if (!row.refused.empty()) {
      table.rows.push_back({row.title, row.machine, "-", "-", "-", "-", row.refused, "-", "-"});
      continue;
    }
    table.rows.push_back({row.title, row.machine, std::to_string(row.kernels), count(row.ctas),
                          count(row.work.warp_instructions), count(row.work.mma_instructions),
                          fmt::format("{:.1f}", row.seconds), fmt::format("{:.1f}", row.sampled_s),
                          fmt::format("{:.0f}", row.memory_mib)});
  }
  return table;
}

}  // namespace

int tell_forecast(const RunOptions& options) {
  const run::RunRequest& request = options.request;
  bool is_list = false;
  std::vector<Forecast> rows;
  if (run::is_network(request.workload)) {
    is_list = request.machines.size() > 1;
    for (const std::string& machine : request.machines) {
      run::RunRequest one = request;
      one.machines = {machine};
      std::ranges::copy(run::forecast_network(one), std::back_inserter(rows));
    }
  } else {
    const std::vector<workload::Workload> workloads = workload::parse_workload(request.workload);
    is_list = workloads.size() != 1 || workloads.front().row > 0 || request.machines.size() > 1;
    rows = run::forecast(request, workloads);
  }
  const Total total = total_of(runs_of(rows, run::is_network(request.workload)), request, is_list);
  if (options.format == Format::kJson) {
    fmt::print(std::cout, "{}", json_text_of(rows, total));
    return kDone;
  }
  fmt::print(std::cout, "{}", render(table_of(rows, options.format), options.format));
  if (options.format != Format::kText) return kDone;
  const std::string_view worker = is_list ? "process" : "thread";
  const std::string_view plural = is_list ? "es" : "s";
  const int jobs = run::jobs_of(request);
  fmt::print(
      std::cout,
      "\nnothing was simulated; {} warp instructions take about {} of processor time, {} "
      "with --fidelity sampled; as requested, {} of wall time with {} {}{}, and {:.0f} MiB of "
      "memory\n",
      report::with_thousands(total.work.warp_instructions), sweep::duration_text(total.seconds),
      sweep::duration_text(total.sampled_s), sweep::duration_text(total.wall_s), jobs, worker,
      jobs == 1 ? "" : plural, total.memory_mib);
  return kDone;
}

}  // namespace tcsim::cli
