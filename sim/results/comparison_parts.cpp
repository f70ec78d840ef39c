#include "sim/results/comparison_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "sim/config/schema.hpp"
#include "sim/report/layout.hpp"

namespace tcsim::results {
namespace {

std::string unit_of(const std::string& key) {
  const config::Key* known = config::find_key(key);
  return known == nullptr ? "" : std::string(known->unit);
}

std::string value_of(const Settings& settings, const std::string& key) {
  const auto found = std::find_if(settings.begin(), settings.end(),
                                  [&](const auto& entry) { return entry.first == key; });
  return found == settings.end() ? "-" : found->second;
}

/// The value of `metric` among `metrics`, if that is a number.
std::optional<double> metric_of(const View& metrics, const std::string& metric) {
  const auto found = metrics.find(metric);
  if (!found || !found->at("value").is_number()) return std::nullopt;
  return found->at("value").get<double>();
}

}  // namespace

void add_machine(const std::string& effective, Settings& settings) {
  std::istringstream lines(effective);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t space = line.find(' ');
    if (space != std::string::npos)
      settings.emplace_back(line.substr(0, space), line.substr(space + 1));
  }
}

void add_sampling(const View& results, Settings& settings) {
  if (const auto sampling = results.find("sampling"))
    if (const auto asked = sampling->find("requested_error"))
      settings.emplace_back("requested_error", asked->json().dump());
}

Section settings_section(const std::vector<std::string>& names,
                         const std::vector<Settings>& settings) {
  Section section{"configuration", "What differs in the configuration", {}};
  std::vector<std::string> keys;
  for (const Settings& of_run : settings)
    for (const auto& [key, value] : of_run)
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  section.is_last_in_text = true;
  Table table{"", {"key"}, {}};
  table.compares = true;
  table.columns.insert(table.columns.end(), names.begin(), names.end());
  table.columns.emplace_back("unit");
  for (const std::string& key : keys) {
    std::vector<Cell> row{{key}};
    bool differs = false;
    for (const Settings& of_run : settings) {
      row.push_back({value_of(of_run, key)});
      differs = differs || row.back().text != row[1].text;
    }
    row.push_back({unit_of(key)});
    if (differs) table.rows.push_back(std::move(row));
  }
  if (table.rows.empty()) {
    section.parts.emplace_back(Paragraph{"Nothing: the runs have the same inputs."});
  } else {
    section.parts.emplace_back(std::move(table));
  }
  return section;
}

void tell_stop(const std::string& name, const View& results, Section& section) {
  if (results.at("complete").get<bool>()) return;
  const auto stopped_by = results.at("simulation").at("stopped_by").get<std::string>();
  section.parts.emplace_back(
      Paragraph{fmt::format("{} did not end ({}); its figures are partial.", name, stopped_by)});
}

std::string change_text(std::optional<double> before, std::optional<double> after) {
  if (!before || !after || *before == 0) return "-";
  return fmt::format("{:+.1f} %", 100 * (*after / *before - 1));
}

Section metrics_section(const std::vector<std::string>& names, const std::vector<View>& metrics) {
  Section section{"metrics", "Metrics", {}};
  Table table{"", {"metric"}, {}};
  table.columns.insert(table.columns.end(), names.begin(), names.end());
  table.columns.emplace_back("unit");
  table.columns.emplace_back(names.size() == 2 ? "change" : "change of the last");
  for (const auto& [name, metric] : metrics.front().items()) {
    std::vector<Cell> row{{name}};
    bool applies = false;
    for (const View& of_run : metrics) {
      const auto value = metric_of(of_run, name);
      applies = applies || value.has_value();
      row.push_back(number_cell(value, "{:.5g}"));
    }
    row.push_back({metric.at("unit").get<std::string>()});
    row.push_back({change_text(metric_of(metrics.front(), name), metric_of(metrics.back(), name))});
    if (applies) table.rows.push_back(std::move(row));
  }
  section.parts.emplace_back(std::move(table));
  return section;
}

std::string speed_sentence(const TimeOf& first, const TimeOf& other) {
  if (first.time_us == other.time_us)
    return fmt::format("{} takes the same time as {}.", other.name, first.name);
  const bool faster = other.time_us < first.time_us;
  return fmt::format("{} takes {} {} than {}: {:.3f} times as {}.", other.name,
                     report::readable_time(std::abs(other.time_us - first.time_us)),
                     faster ? "less" : "more", first.name,
                     faster ? first.time_us / other.time_us : other.time_us / first.time_us,
                     faster ? "fast" : "slow");
}

Table attribution_table(const std::string& what, const TimeOf& first, const TimeOf& other) {
  Table table{
      "",
      {what, first.name + " us", other.name + " us", "difference us", "% of the difference"},
      {}};
  const double all = other.time_us - first.time_us;
  const auto share = [&](double difference) {
    return number_cell(all == 0 ? std::nullopt : std::optional(difference / all), "{:.1f}", 100);
  };
  std::vector<std::string> labels;
  std::map<std::string, double> before;
  std::map<std::string, double> after;
  for (const auto& [of, parts] : {std::pair{&first, &before}, std::pair{&other, &after}})
    for (const auto& [label, time_us] : of->parts) {
      (*parts)[label] = time_us;
      if (std::find(labels.begin(), labels.end(), label) == labels.end()) labels.push_back(label);
    }
  std::stable_sort(labels.begin(), labels.end(), [&](const auto& a, const auto& b) {
    return std::abs(after[a] - before[a]) > std::abs(after[b] - before[b]);
  });
  for (const std::string& label : labels) {
    if (before[label] == 0 && after[label] == 0) continue;
    const double difference = after[label] - before[label];
    table.rows.push_back({{label},
                          number_cell(before[label], "{:.3f}"),
                          number_cell(after[label], "{:.3f}"),
                          number_cell(difference, "{:+.3f}"),
                          share(difference)});
  }
  table.rows.push_back({{"time"},
                        number_cell(first.time_us, "{:.3f}"),
                        number_cell(other.time_us, "{:.3f}"),
                        number_cell(all, "{:+.3f}"),
                        share(all)});
  return table;
}

}  // namespace tcsim::results
