#include "sim/sweep/collect.hpp"

#include <fmt/format.h>

#include <map>

#include "sim/files/atomic_file.hpp"
#include "sim/stats/writers.hpp"
#include "sim/sweep/html_report.hpp"
#include "sim/text/outgoing.hpp"

namespace tcsim::sweep {
namespace {

namespace fs = std::filesystem;
using text::csv_field;

/// Names of metrics in the order in which rows bring them up, but for what a parameter has a column
/// for: the batch of a network.
template <typename Rows>
std::vector<std::string> columns_of(const Plan& plan, const Rows& rows) {
  std::vector<std::string> columns;
  std::map<std::string, bool> known;
  for (const std::string& parameter : plan.parameters) known.emplace(parameter, true);
  for (const auto& row : rows) {
    for (const MetricValue& metric : row.metrics) {
      if (known.emplace(metric.name, true).second) columns.push_back(metric.name);
    }
  }
  return columns;
}

std::string metric_fields(const std::vector<MetricValue>& metrics,
                          const std::vector<std::string>& columns) {
  std::map<std::string_view, const MetricValue*> by_name;
  for (const MetricValue& metric : metrics) by_name.emplace(metric.name, &metric);
  std::string text;
  for (const std::string& column : columns) {
    const auto found = by_name.find(column);
    text += ',';
    if (found != by_name.end()) text += csv_field(found->second->text);
  }
  return text;
}

std::string parameter_fields(const Parameters& parameters) {
  std::string text;
  for (const auto& [name, value] : parameters) text += "," + csv_field(value);
  return text;
}

std::string header(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += "," + csv_field(name);
  return text;
}

}  // namespace

std::string sweep_csv(const Plan& plan, const std::vector<Row>& rows) {
  const std::vector<std::string> columns = columns_of(plan, rows);
  std::string text = "point,configuration,name" + header(plan.parameters) +
                     ",part,count,state,reason" + header(columns) + ",inputs,key,revision\n";
  for (const Row& row : rows) {
    const Point& point = *row.point;
    text += fmt::format("{},{},{}{},{},{},{},{}{},{},{},{}\n", point.number, point.configuration,
                        csv_field(point.name), parameter_fields(point.parameters),
                        csv_field(point.part), point.count, state_text(row.record.state),
                        csv_field(row.record.failure.reason), metric_fields(row.metrics, columns),
                        point.inputs, point.key, plan.revision);
  }
  return text;
}

std::string totals_csv(const Plan& plan, const std::vector<Total>& totals) {
  const std::vector<std::string> columns = columns_of(plan, totals);
  std::string text =
      "configuration,name" + header(plan.parameters) + ",complete,reason" + header(columns) + "\n";
  for (const Total& total : totals) {
    text += fmt::format("{},{}{},{},{}{}\n", total.configuration, csv_field(total.name),
                        parameter_fields(total.parameters), total.complete ? "yes" : "no",
                        csv_field(total.reason), metric_fields(total.metrics, columns));
  }
  return text;
}

void collect(const Folder& folder, const std::vector<Row>& rows) {
  folder.write("sweep.csv", sweep_csv(folder.plan(), rows));
  const std::vector<Total> totals = totals_of(rows);
  folder.write("totals.csv", totals_csv(folder.plan(), totals));
  folder.write("report.html", report_html(folder, rows, totals));
  files::ReplacementFile database(folder.path() / "sweep.sqlite");
  write_sqlite(database.path(), folder.plan(), rows);
  database.finish();
}

}  // namespace tcsim::sweep
