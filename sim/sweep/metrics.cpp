#include "sim/sweep/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "sim/files/json_text.hpp"
#include "sim/files/nearest.hpp"
#include "sim/files/shown_text.hpp"
#include "sim/report/json_report.hpp"
#include "sim/report/network_metrics.hpp"
#include "sim/report/network_report.hpp"
#include "sim/stats/metrics.hpp"
#include "sim/stats/writers.hpp"

namespace tcsim::sweep {
namespace {

using Json = nlohmann::ordered_json;

// The parameters name machine and workload; `simulation` depends on the host.
constexpr std::array<std::string_view, 5> kLeftOut{"machine", "machine_hash", "workload",
                                                   "simulation", "kernels"};

constexpr std::array<std::string_view, 6> kAdditive{
    "time_us",          "flop",           "memory.dram_read_bytes", "memory.dram_write_bytes",
    "instructions.mma", "energy.energy_j"};

void flatten(const Json& json, const std::string& prefix, std::vector<MetricValue>& metrics) {
  for (const auto& [name, value] : json.items()) {
    const bool skipped =
        prefix.empty() && std::find(kLeftOut.begin(), kLeftOut.end(), name) != kLeftOut.end();
    if (skipped) continue;
    if (value.is_object()) {
      flatten(value, prefix + name + ".", metrics);
    } else if (value.is_number()) {
      const double number = value.get<double>();
      metrics.push_back(
          {prefix + name,
           value.is_number_float() ? stats::shortest(number) : files::json_text(value), number});
    } else if (value.is_string()) {
      metrics.push_back({prefix + name, value.get<std::string>(), {}});
    }
  }
}

/// Numbers of which more is better, by the last part of their paths; docs/sweeps.md lists them too.
constexpr std::array<std::string_view, 24> kBetterLarger{
    // rates
    "tflops", "executed_tflops", "attainable_tflops", "peak_tflops", "network_tflops",
    "samples_per_s", "tokens_per_s", "dram_gb_per_s", "l2_gb_per_s",
    // utilisations
    "peak_fraction", "network_peak_fraction", "pipe_active", "tensor_pipe_active", "issue_fraction",
    "tensor_fraction", "sm_memory_fraction", "shared_fraction", "l2_fraction", "dram_fraction",
    // reuse of data
    "l1_hit_rate", "l2_hit_rate", "arithmetic_intensity", "network_intensity",
    // precision
    "norm_bits"};

/// Last words of metrics, and the units for which they stand.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kUnits{
    {{"j", "J"},
     {"js", "J s"},
     {"w", "W"},
     {"tflops", "TFLOPS"},
     {"gb per s", "GB/s"},
     {"pj per flop", "pJ/FLOP"}}};

/// Sections that only some options or machines fill, or that a run names the parts of.
constexpr std::array<std::string_view, 7> kOpenSections{
    "cycles_by_reason", "energy", "values", "tensor_core", "sampling", "collectives", "tiles"};

/// Paths of all values of `json` that are numbers in some result.
void add_number_names(const Json& json, const std::string& prefix,
                      std::vector<std::string>& names) {
  for (const auto& [name, value] : json.items()) {
    if (value.is_object())
      add_number_names(value, prefix + name + ".", names);
    else if (value.is_number() || value.is_null())
      names.push_back(prefix + name);
  }
}

/// The paths of numbers in results of runs and of networks, but for those of kOpenSections.
std::vector<std::string> number_names() {
  report::RunRecord run;
  run.inputs.sparse = true;  // has one more
  for (const stats::MetricDefinition& definition : stats::metric_definitions())
    run.metrics.push_back({definition, std::nullopt});
  std::vector<std::string> names{"registers_per_thread", "core_gates", "area_mm2"};
  for (const stats::MetricDefinition& definition : report::network_metric_definitions())
    names.emplace_back(definition.name);
  for (Json result : {report::run_json(run),
                      report::network_summary(report::network_json(report::NetworkRun()))}) {
    for (const std::string_view left_out : kLeftOut) result.erase(std::string(left_out));
    for (const std::string_view open : kOpenSections) result.erase(std::string(open));
    add_number_names(result, "", names);
  }
  return names;
}

std::optional<double> number_in(const std::vector<MetricValue>& metrics, std::string_view name) {
  for (const MetricValue& metric : metrics) {
    if (metric.name == name) return metric.number;
  }
  return {};
}

std::string text_in(const std::vector<MetricValue>& metrics, std::string_view name) {
  const auto found = std::ranges::find(metrics, name, &MetricValue::name);
  return found == metrics.end() ? "" : found->text;
}

void add_number(std::vector<MetricValue>& metrics, std::string name, double value) {
  metrics.push_back({std::move(name), stats::shortest(value), value});
}

/// What the machine of a point would take.
void add_silicon(const Point& point, std::vector<MetricValue>& metrics) {
  if (point.core_gates) add_number(metrics, "core_gates", *point.core_gates);
  if (point.area_mm2) add_number(metrics, "area_mm2", *point.area_mm2);
}

/// Sums over the parts, and rates that follow from them.
void add_up(Total& total, const std::vector<const Row*>& parts) {
  for (const std::string_view name : kAdditive) {
    double sum = 0;
    bool known = true;
    for (const Row* part : parts) {
      const auto value = number_in(part->metrics, name);
      known = known && value.has_value();
      sum += value.value_or(0) * static_cast<double>(part->point->count);
    }
    if (known) add_number(total.metrics, std::string(name), sum);
  }
  const std::string dtype = text_in(parts.front()->metrics, "dtype");
  if (!dtype.empty() && std::ranges::all_of(parts, [&](const Row* part) {
        return text_in(part->metrics, "dtype") == dtype;
      }))
    total.metrics.push_back({"dtype", dtype, {}});
  const auto time_us = total.number("time_us");
  const auto flop = total.number("flop");
  const auto energy_j = total.number("energy.energy_j");
  const bool took_time = time_us && *time_us > 0;
  if (took_time && flop) add_number(total.metrics, "tflops", *flop / (*time_us * 1e6));
  if (took_time && energy_j) {
    add_number(total.metrics, "energy.power_w", *energy_j * 1e6 / *time_us);
    add_number(total.metrics, "energy.energy_delay_js", *energy_j * *time_us / 1e6);
  }
  add_silicon(*parts.front()->point, total.metrics);
}

}  // namespace

std::vector<MetricValue> metrics_of(const Json& result) {
  std::vector<MetricValue> metrics;
  flatten(result, "", metrics);
  const auto kernels = result.find("kernels");
  if (kernels != result.end() && !kernels->empty()) {
    const Json& first = kernels->front();
    metrics.push_back({"tile", first.value("tile", ""), {}});
    if (const auto registers = first.find("registers_per_thread"); registers != first.end())
      add_number(metrics, "registers_per_thread", registers->get<double>());
  }
  return metrics;
}

std::string metric_mistake(const std::string& name) {
  const std::string_view section = std::string_view(name).substr(0, name.find('.'));
  if (section != name && std::ranges::find(kOpenSections, section) != kOpenSections.end())
    return {};
  const std::vector<std::string> names = number_names();
  if (std::ranges::find(names, name) != names.end()) return {};
  return fmt::format("no metric {}{}", files::shown(name),
                     files::did_you_mean(name, {names.begin(), names.end()}));
}

bool is_added_up(std::string_view metric) {
  constexpr std::array<std::string_view, 5> kOfSums{
      "tflops", "energy.power_w", "energy.energy_delay_js", "core_gates", "area_mm2"};
  return std::ranges::find(kAdditive, metric) != kAdditive.end() ||
         std::ranges::find(kOfSums, metric) != kOfSums.end();
}

bool larger_is_better(std::string_view metric) {
  const std::string_view name = metric.substr(metric.rfind('.') + 1);  // all where there is no dot
  return std::ranges::find(kBetterLarger, name) != kBetterLarger.end();
}

std::string metric_title(std::string_view metric) {
  std::string title;
  for (std::string_view rest = metric; !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find('.'));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    if (!rest.starts_with(part)) title += (title.empty() ? "" : " ") + std::string(part);
  }
  std::ranges::replace(title, '_', ' ');
  for (const auto& [word, unit] : kUnits) {
    if (title != word && !title.ends_with(" " + std::string(word))) continue;
    return title.replace(title.size() - word.size(), word.size(), unit);
  }
  return title;
}

std::vector<Row> rows_of(const Folder& folder) {
  std::vector<Row> rows;
  rows.reserve(folder.plan().points.size());
  for (const Point& point : folder.plan().points) {
    Row row{&point, folder.record(point), {}};
    if (row.record.state == PointState::kDone) {
      row.metrics = metrics_of(row.record.result);
      add_silicon(point, row.metrics);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::optional<double> Total::number(std::string_view metric) const {
  return number_in(metrics, metric);
}

std::string Total::text(std::string_view metric) const { return text_in(metrics, metric); }

std::vector<Total> totals_of(const std::vector<Row>& rows) {
  std::map<int, std::vector<const Row*>> groups;
  for (const Row& row : rows) groups[row.point->configuration].push_back(&row);
  std::vector<Total> totals;
  for (const auto& [number, parts] : groups) {
    const Point& first = *parts.front()->point;
    Total total{number, first.name, first.parameters, true, "", {}};
    for (const Row* part : parts) {
      if (part->record.state == PointState::kDone || !total.complete) continue;
      total.complete = false;
      total.reason =
          part->record.state == PointState::kOpen
              ? "open"
              : std::string(state_text(part->record.state)) + ": " + part->record.failure.reason;
    }
    if (total.complete) {
      if (parts.size() == 1 && first.count == 1)
        total.metrics = parts.front()->metrics;
      else
        add_up(total, parts);
    }
    totals.push_back(std::move(total));
  }
  return totals;
}

}  // namespace tcsim::sweep
