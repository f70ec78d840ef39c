#include "sim/results/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <sstream>

#include "sim/config/schema.hpp"
#include "sim/report/layout.hpp"
#include "sim/results/list_report.hpp"

namespace tcsim::results {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

std::string name_of(const StoredRun& run) {
  return std::filesystem::path(run.name).lexically_normal().string();
}

/// The machine as the manifest holds it, then what else decides a run.
Settings settings_of(const StoredRun& run) {
  Settings settings;
  const auto add = [&](const char* key) {
    settings.emplace_back(key, run.stats.at(key).get<std::string>());
  };
  for (const char* key : {"workload", "machine", "unit", "l2_state"}) add(key);
  const std::vector<View> kernels = run.stats.at("kernels").elements();
  if (!kernels.empty())
    settings.emplace_back("tile", kernels.front().at("tile").get<std::string>());
  settings.emplace_back("revision", run.manifest.at("revision").get<std::string>());
  std::istringstream lines(run.manifest.at("machine").at("effective").get<std::string>());
  for (std::string line; std::getline(lines, line);) {
    const std::size_t space = line.find(' ');
    if (space != std::string::npos)
      settings.emplace_back(line.substr(0, space), line.substr(space + 1));
  }
  return settings;
}

std::string unit_of(const std::string& key) {
  const config::Key* known = config::find_key(key);
  return known == nullptr ? "" : std::string(known->unit);
}

std::string value_of(const Settings& settings, const std::string& key) {
  const auto found = std::find_if(settings.begin(), settings.end(),
                                  [&](const auto& entry) { return entry.first == key; });
  return found == settings.end() ? "-" : found->second;
}

std::vector<std::string> columns_of(const char* first, const std::vector<StoredRun>& runs) {
  std::vector<std::string> columns{first};
  for (const StoredRun& run : runs) columns.push_back(name_of(run));
  return columns;
}

Section configuration_section(const std::vector<StoredRun>& runs) {
  Section section{"configuration", "What differs in the configuration", {}};
  std::vector<Settings> settings;
  std::vector<std::string> keys;
  for (const StoredRun& run : runs) {
    settings.push_back(settings_of(run));
    for (const auto& [key, value] : settings.back())
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  }
  Table table{"", columns_of("key", runs), {}};
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

std::string change_text(std::optional<double> before, std::optional<double> after) {
  if (!before || !after || *before == 0) return "-";
  return fmt::format("{:+.1f} %", 100 * (*after / *before - 1));
}

Section metrics_section(const std::vector<StoredRun>& runs) {
  Section section{"metrics", "Metrics", {}};
  Table table{"", columns_of("metric", runs), {}};
  table.columns.emplace_back("unit");
  table.columns.emplace_back(runs.size() == 2 ? "change" : "change of the last");
  for (const auto& [name, entry] : runs.front().stats.at("metrics").items()) {
    std::vector<Cell> row{{name}};
    for (const StoredRun& run : runs) row.push_back(number_cell(run.number(name), "{:.5g}"));
    row.push_back({entry.at("unit").get<std::string>()});
    row.push_back({change_text(runs.front().number(name), runs.back().number(name))});
    const bool applies = std::any_of(
        runs.begin(), runs.end(),
        [&metric = name](const StoredRun& run) { return run.number(metric).has_value(); });
    if (applies) table.rows.push_back(std::move(row));
  }
  section.parts.emplace_back(std::move(table));
  return section;
}

/// Microseconds charged to each reason, by label.
std::map<std::string, double> parts_of(const StoredRun& run) {
  std::map<std::string, double> parts;
  const auto sub_cores = run.scope("sub_core").at("instances").get<double>();
  for (const View& share : run.stats.at("cycles_by_reason").elements())
    parts[share.at("label").get<std::string>()] =
        share.at("cycles").get<double>() / sub_cores / run.number("clock_mhz").value_or(1);
  return parts;
}

std::string speed_sentence(const StoredRun& first, const StoredRun& other) {
  const double before = first.number("time_us").value_or(0);
  const double after = other.number("time_us").value_or(0);
  if (before == after)
    return fmt::format("{} takes the same time as {}.", name_of(other), name_of(first));
  const bool faster = after < before;
  return fmt::format("{} takes {} {} than {}: {:.3f} times as {}.", name_of(other),
                     report::readable_time(std::abs(after - before)), faster ? "less" : "more",
                     name_of(first), faster ? before / after : after / before,
                     faster ? "fast" : "slow");
}

Table attribution_table(const StoredRun& first, const StoredRun& other) {
  Table table{"",
              {"cycles went to", name_of(first) + " us", name_of(other) + " us", "difference us",
               "% of the difference"},
              {}};
  std::map<std::string, double> before = parts_of(first);
  std::map<std::string, double> after = parts_of(other);
  const double all = other.number("time_us").value_or(0) - first.number("time_us").value_or(0);
  const auto share = [&](double difference) {
    return number_cell(all == 0 ? std::nullopt : std::optional(difference / all), "{:.1f}", 100);
  };
  std::vector<std::string> labels;
  for (const StoredRun* run : {&first, &other})
    for (const View& entry : run->stats.at("cycles_by_reason").elements()) {
      const auto label = entry.at("label").get<std::string>();
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
                        number_cell(first.number("time_us"), "{:.3f}"),
                        number_cell(other.number("time_us"), "{:.3f}"),
                        number_cell(all, "{:+.3f}"),
                        share(all)});
  return table;
}

Section attribution_section(const std::vector<StoredRun>& runs) {
  Section section{"attribution", "Where the difference in time comes from", {}};
  for (std::size_t i = 1; i < runs.size(); ++i) {
    section.parts.emplace_back(Paragraph{speed_sentence(runs.front(), runs[i])});
    section.parts.emplace_back(attribution_table(runs.front(), runs[i]));
  }
  section.parts.emplace_back(
      Paragraph{"Parts are the cycles charged to a reason over the number of sub-cores, so they "
                "add up to the time."});
  return section;
}

std::optional<double> row_time(const View& row) {
  const View result = row.at("result");
  if (!row.at("status").is("done") || !result.is_object() || !result.at("time_us").is_number())
    return std::nullopt;
  const auto time_us = result.at("time_us").get<double>();
  return time_us > 0 ? std::optional(time_us) : std::nullopt;
}

/// The row of `list` that stands for `wanted` of another list, if there is one.
std::optional<View> row_like(const StoredList& list, const View& wanted, bool same_machine) {
  for (const View& row : list.rows.elements())
    if (row.at("row").json() == wanted.at("row").json() &&
        (!same_machine || row.at("machine").json() == wanted.at("machine").json()))
      return row;
  return std::nullopt;
}

bool has_one_machine(const StoredList& list) { return machines_of(list).size() <= 1; }

Section rows_section(const StoredList& first, const StoredList& other) {
  Section section{"rows", fmt::format("{} against {}", other.name, first.name), {}};
  const bool same_machine = !has_one_machine(first) || !has_one_machine(other);
  Table table{
      "", {"workload", "machine", first.name + " us", other.name + " us", "times as fast"}, {}};
  double logarithms = 0;
  int common = 0;
  for (const View& row : first.rows.elements()) {
    const std::optional<View> match = row_like(other, row, same_machine);
    const auto before = row_time(row);
    const auto after = !match ? std::nullopt : row_time(*match);
    std::optional<double> ratio;
    if (before && after) {
      ratio = *before / *after;
      logarithms += std::log(*ratio);
      ++common;
    }
    auto machine = row.at("machine").get<std::string>();
    if (match && match->at("machine").json() != row.at("machine").json())
      machine += " / " + match->at("machine").get<std::string>();
    table.rows.push_back({{row.at("workload").get<std::string>()},
                          {machine},
                          number_cell(before, "{:.2f}"),
                          number_cell(after, "{:.2f}"),
                          number_cell(ratio, "{:.3f}")});
  }
  if (common > 0)
    section.parts.emplace_back(
        Paragraph{fmt::format("{} is {:.3f} times as fast as {} (geometric mean over {} rows).",
                              other.name, std::exp(logarithms / common), first.name, common)});
  section.parts.emplace_back(std::move(table));
  return section;
}

}  // namespace

Document comparison_of(const std::vector<StoredRun>& runs) {
  std::string title = "Comparison of " + name_of(runs.front());
  for (std::size_t i = 1; i < runs.size(); ++i) title += " and " + name_of(runs[i]);
  return {title,
          name_of(runs.front()),
          {configuration_section(runs), attribution_section(runs), metrics_section(runs)}};
}

Document comparison_of(const std::vector<StoredList>& lists) {
  Document document{"Comparison with " + lists.front().name, lists.front().name, {}};
  for (std::size_t i = 1; i < lists.size(); ++i)
    document.sections.push_back(rows_section(lists.front(), lists[i]));
  return document;
}

}  // namespace tcsim::results
