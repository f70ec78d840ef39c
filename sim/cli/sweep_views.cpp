#include "sim/cli/sweep_views.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/files/json_text.hpp"
#include "sim/report/manifest.hpp"
#include "sim/report/words.hpp"
#include "sim/sweep/estimate.hpp"
#include "sim/text/counted.hpp"

namespace tcsim::cli {
namespace {

using sweep::PointState;
using sweep::Row;

constexpr std::size_t kMostFailures = 10;

/// Names of the parameters that do not have the same value everywhere.
std::vector<std::string> varying(const sweep::Plan& plan) {
  std::vector<std::string> names;
  for (const std::string& name : plan.parameters) {
    const std::string* first = sweep::find_value(plan.points.front().parameters, name);
    const bool differs =
        std::any_of(plan.points.begin(), plan.points.end(), [&](const sweep::Point& point) {
          return *sweep::find_value(point.parameters, name) != *first;
        });
    if (differs) names.push_back(name);
  }
  return names;
}

std::string fixed(std::optional<double> value, const char* form) {
  return value ? fmt::format(fmt::runtime(form), *value) : "-";
}

bool has_name(const sweep::Plan& plan) {
  return std::any_of(plan.points.begin(), plan.points.end(),
                     [](const sweep::Point& point) { return !point.name.empty(); });
}

}  // namespace

SweepCounts counts_of(const sweep::Folder& folder, const std::vector<Row>& rows) {
  SweepCounts counts;
  counts.points = static_cast<int>(rows.size());
  counts.stale = folder.count_stale();
  std::vector<const sweep::Point*> open;
  for (const Row& row : rows) {
    if (row.record.corrupt) ++counts.corrupt;
    switch (row.record.state) {
      case PointState::kOpen:
        ++counts.open;
        open.push_back(row.point);
        break;
      case PointState::kDone:
        ++counts.done;
        break;
      case PointState::kFailed:
        ++counts.failed;
        break;
      case PointState::kCrashed:
      case PointState::kTimeLimit:
      case PointState::kMemoryLimit:
        ++counts.crashed;
        break;
    }
  }
  counts.running = sweep::running_points(folder);
  counts.left = sweep::estimate_of(open);
  counts.left.seconds *= sweep::measured_ratio(rows);
  return counts;
}

std::string counts_text(const sweep::Folder& folder, const SweepCounts& counts) {
  std::string text = fmt::format("sweep {}: {} of {} done", folder.plan().name, counts.done,
                                 text::counted(counts.points, "point"));
  if (counts.failed > 0) text += fmt::format(", {} failed", counts.failed);
  if (counts.crashed > 0) text += fmt::format(", {} crashed or over a limit", counts.crashed);
  if (counts.open > 0)
    text += fmt::format(", {} open (about {} in one process{})", counts.open,
                        sweep::duration_text(counts.left.seconds),
                        sweep::without_forecast_text(counts.left));
  if (!counts.running.empty()) text += fmt::format(", {} of them running", counts.running.size());
  text += "\n";
  for (const sweep::RunningPoint& running : counts.running)
    text += fmt::format("  running for {}: point {} {} {} (process {} of {})\n",
                        sweep::duration_text(running.seconds), running.point->number,
                        sweep::label_of(running.point->parameters), running.point->part,
                        running.process, running.host);
  if (counts.corrupt > 0)
    text += fmt::format("{}: open again\n", text::counted(counts.corrupt, "damaged result file"));
  if (counts.stale > 0)
    text += fmt::format("{} of another revision in the folder: not used\n",
                        text::counted(counts.stale, "result"));
  return text;
}

std::string counts_json(const sweep::Folder& folder, const SweepCounts& counts) {
  auto running = nlohmann::ordered_json::array();
  for (const sweep::RunningPoint& point : counts.running)
    running.push_back({{"point", point.point->number},
                       {"host", point.host},
                       {"process", point.process},
                       {"seconds", point.seconds}});
  const nlohmann::ordered_json json{
      {"name", folder.plan().name}, {"revision", folder.plan().revision},
      {"points", counts.points},    {"done", counts.done},
      {"open", counts.open},        {"failed", counts.failed},
      {"crashed", counts.crashed},  {"corrupt", counts.corrupt},
      {"stale", counts.stale},      {"seconds_left", counts.left.seconds},
      {"running", running}};
  return files::json_text(json, 2) + "\n";
}

Table totals_table(const sweep::Plan& plan, const std::vector<sweep::Total>& totals) {
  const std::vector<std::string> names = varying(plan);
  Table table;
  if (has_name(plan)) table.columns.emplace_back("name");
  table.columns.insert(table.columns.end(), names.begin(), names.end());
  report::RateUnit unit;
  for (const sweep::Total& total : totals)
    if (total.number("tflops")) unit.add(total.text("dtype"));
  for (const std::string& column :
       {std::string("time us"), unit.text(), std::string("power W"), std::string("bound by")})
    table.columns.push_back(column);
  for (const sweep::Total& total : totals) {
    std::vector<std::string> cells;
    if (has_name(plan)) cells.push_back(total.name);
    for (const std::string& name : names)
      cells.push_back(*sweep::find_value(total.parameters, name));
    cells.push_back(fixed(total.number("time_us"), "{:.2f}"));
    cells.push_back(fixed(total.number("tflops"), "{:.2f}"));
    cells.push_back(fixed(total.number("energy.power_w"), "{:.1f}"));
    cells.push_back(total.complete ? total.text("bound_by") : total.reason);
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Table points_table(const sweep::Plan& plan) {
  const std::vector<std::string> names = varying(plan);
  Table table;
  table.columns.emplace_back("point");
  table.columns.insert(table.columns.end(), names.begin(), names.end());
  for (const char* column : {"part", "count", "key"}) table.columns.emplace_back(column);
  for (const sweep::Point& point : plan.points) {
    std::vector<std::string> cells{std::to_string(point.number)};
    for (const std::string& name : names)
      cells.push_back(*sweep::find_value(point.parameters, name));
    cells.push_back(point.part);
    cells.push_back(std::to_string(point.count));
    cells.push_back(point.key);
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::string failures_text(const sweep::Folder& folder, const std::vector<Row>& rows) {
  std::string text;
  std::size_t shown = 0;
  std::size_t all = 0;
  for (const Row& row : rows) {
    if (row.record.state == PointState::kDone || row.record.state == PointState::kOpen) continue;
    if (++all > kMostFailures) continue;
    ++shown;
    text += fmt::format("point {} {}: {}: {}\n", row.point->number,
                        sweep::label_of(row.point->parameters), sweep::state_text(row.record.state),
                        row.record.failure.reason);
    for (const std::string& line : row.record.failure.last_lines) text += "  | " + line + "\n";
    std::vector<std::string> command{folder.plan().program};
    command.insert(command.end(), row.point->command.begin(), row.point->command.end());
    text += fmt::format("  repeat: cd {} && {}\n", report::shell_line({folder.path().string()}),
                        report::shell_line(command));
  }
  if (all > shown) text += fmt::format("and {} more; see sweep.csv\n", all - shown);
  return text;
}

}  // namespace tcsim::cli
