#include "sim/results/table_plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

#include "sim/sweep/plot_data.hpp"

namespace tcsim::results {
namespace {

// Times, rates and sizes outside of these are mistakes; quotients of those inside stay finite.
constexpr double kLeast = 1e-12;
constexpr double kLargestPlotted = 1e18;

/// The values of the keys but for `series`, as a label.
std::string key_label(const ResultTable& table, const sweep::Total& row,
                      const std::string& series) {
  std::string label;
  for (const std::string& key : table.keys) {
    if (key == series) continue;
    const std::string& value = sweep::value_of(row.parameters, key);
    label += (label.empty() ? "" : ", ") + value;
  }
  return label.empty() ? "all" : label;
}

/// The time of a row, and the values that a row to compare it with has too.
struct KeyedTime {
  std::string key;
  double time_us = 0;
};

/// Those of `rows` that have `value` for `series`, in their order.
std::vector<KeyedTime> times_of(const ResultTable& table,
                                const std::vector<const sweep::Total*>& rows,
                                const std::string& series, const std::string& value) {
  std::vector<KeyedTime> times;
  std::set<std::string> known;
  for (const sweep::Total* row : sweep::with_value(rows, series, value)) {
    times.push_back({key_label(table, *row, series), sweep::metric_of(*row, "time_us")});
    if (!known.insert(times.back().key).second)
      throw std::invalid_argument(
          fmt::format("several rows of {} are '{}'; choose among them with --where COLUMN=VALUE",
                      value, times.back().key));
  }
  return times;
}

std::vector<const sweep::Total*> complete_rows(const ResultTable& table) {
  std::vector<const sweep::Total*> rows;
  for (const sweep::Total& row : table.rows)
    if (row.complete) rows.push_back(&row);
  return rows;
}

}  // namespace

sweep::PlotRequest flops_vs_n(ResultTable& table) {
  require_column(table, "n");
  require_column(table, "tflops");
  keep_square_products(table);
  if (table.rows.empty()) throw std::invalid_argument("no row is a GEMM with m = n = k");
  require_numbers(table, "n", 1, kLargestPlotted);
  require_numbers(table, "tflops", 0, kLargestPlotted);
  sweep::PlotRequest plot;
  plot.kind = "curves";
  plot.title = "TFLOPS against N";
  plot.x = "n";
  plot.y = "tflops";
  plot.series = series_of_machines(table);
  return plot;
}

sweep::PlotRequest heat_map(ResultTable& table, const std::string& x, const std::string& y,
                            const std::string& value) {
  for (const std::string& column : {x, y}) require_column(table, column);
  require_numbers(table, value, -kLargestPlotted, kLargestPlotted);
  name_repeats(table, {x, y});
  sweep::PlotRequest plot;
  plot.kind = "heatmap";
  plot.x = x;
  plot.y = y;
  plot.value = value;
  return plot;
}

plot::Bars speed_ups(ResultTable table, const std::string& series) {
  require_column(table, series);
  require_numbers(table, "time_us", kLeast, kLargestPlotted);
  std::vector<std::string> columns = table.keys;
  columns.push_back(series);
  name_repeats(table, columns);
  const std::vector<const sweep::Total*> rows = complete_rows(table);
  const std::vector<std::string> values = sweep::values_in(rows, series);
  if (values.size() < 2)
    throw std::invalid_argument(
        fmt::format("'{}' has only one value, so there is nothing to compare", series));
  std::map<std::string, double> base;
  for (const KeyedTime& one : times_of(table, rows, series, values.front()))
    base.emplace(one.key, one.time_us);
  plot::Bars bars{"Times as fast as " + values.front(), {}, 1, 1, {}};
  bool is_any_common = false;
  for (std::size_t i = 1; i < values.size(); ++i) {
    double logarithms = 0;
    int common = 0;
    for (const KeyedTime& one : times_of(table, rows, series, values[i])) {
      const auto first = base.find(one.key);
      if (first == base.end()) continue;
      const double ratio = first->second / one.time_us;
      logarithms += std::log(ratio);
      ++common;
      bars.rows.push_back({one.key, ratio, fmt::format("{:.2f}", ratio), i - 1});
    }
    const double mean = common > 0 ? std::exp(logarithms / common) : 0;
    bars.rows.push_back({fmt::format("{}: geometric mean", values[i]), mean,
                         common > 0 ? fmt::format("{:.2f}", mean) : "no row in common", i - 1});
    bars.legend.push_back(values[i]);
    is_any_common = is_any_common || common > 0;
  }
  if (!is_any_common) throw std::invalid_argument("no row has a matching row to compare with");
  for (const auto& row : bars.rows) bars.most = std::max(bars.most, row.value);
  return bars;
}

plot::Bars bars_of(const ResultTable& table, const sweep::PlotRequest& plot) {
  const bool is_map = plot.kind == "heatmap";
  const std::string metric = is_map ? plot.value : plot.y;
  plot::Bars bars{metric, {}, 0, 0, {}};
  for (const sweep::Total* row : complete_rows(table)) {
    const double value = sweep::metric_of(*row, metric);
    std::string label = fmt::format("{} {}", plot.x, sweep::value_of(row->parameters, plot.x));
    const std::string other = is_map ? plot.y : plot.series;
    if (!other.empty()) label += fmt::format(", {}", sweep::value_of(row->parameters, other));
    bars.rows.push_back({label, value, fmt::format("{:.4g}", value), 0});
    bars.most = std::max(bars.most, value);
  }
  if (bars.most <= 0) bars.most = 1;
  return bars;
}

}  // namespace tcsim::results
