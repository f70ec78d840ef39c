#include "sim/results/comparison.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sim/report/json_report.hpp"
#include "sim/results/comparison_parts.hpp"
#include "sim/results/list_report.hpp"
#include "sim/text/counted.hpp"

namespace tcsim::results {
namespace {

std::string name_of(const StoredRun& run) {
  return std::filesystem::path(run.name).lexically_normal().string();
}

/// The machine as the manifest holds it, then what else decides a run.
Settings settings_of(const StoredRun& run) {
  Settings settings;
  const auto add = [&](const char* key) {
    settings.emplace_back(key, run.stats.at(key).get<std::string>());
  };
  for (const char* key : {"workload", "machine", "unit", "l2_state", "fidelity"}) add(key);
  add_sampling(run.stats, settings);
  if (const View energy = run.stats.at("energy"); !energy.is_null())
    for (const char* key : {"data", "clock_policy"})
      settings.emplace_back(key, energy.at(key).get<std::string>());
  settings.emplace_back("tile", report::tile_of(run.stats.json()));
  settings.emplace_back("revision", run.manifest.at("revision").get<std::string>());
  add_machine(run.manifest.at("machine").at("effective").get<std::string>(), settings);
  return settings;
}

std::vector<std::string> names_of(const std::vector<StoredRun>& runs) {
  std::vector<std::string> names;
  for (const StoredRun& run : runs) names.push_back(name_of(run));
  return names;
}

Section configuration_section(const std::vector<StoredRun>& runs) {
  std::vector<Settings> settings;
  for (const StoredRun& run : runs) settings.push_back(settings_of(run));
  Section section = settings_section(names_of(runs), settings);
  for (const StoredRun& run : runs) tell_stop(name_of(run), run.stats, section);
  return section;
}

TimeOf time_of(const StoredRun& run) {
  TimeOf time{name_of(run), run.number("time_us").value_or(0), {}};
  const auto sub_cores = run.scope("sub_core").at("instances").get<double>();
  for (const View& share : run.stats.at("cycles_by_reason").elements())
    time.parts.emplace_back(
        share.at("label").get<std::string>(),
        share.at("cycles").get<double>() / sub_cores / run.number("clock_mhz").value_or(1));
  return time;
}

Section attribution_section(const std::vector<StoredRun>& runs) {
  Section section{"attribution", "Where the difference in time comes from", {}};
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const TimeOf first = time_of(runs.front());
    const TimeOf other = time_of(runs[i]);
    section.parts.emplace_back(Paragraph{speed_sentence(first, other)});
    section.parts.emplace_back(attribution_table("cycles spent on", first, other));
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

/// The row of `list` with the number and workload of `wanted`, of another list, if there is one.
std::optional<View> row_like(const StoredList& list, const View& wanted, bool same_machine) {
  for (const View& row : list.rows.elements())
    if (row.at("row").json() == wanted.at("row").json() &&
        row.at("workload").json() == wanted.at("workload").json() &&
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
    section.parts.emplace_back(Paragraph{
        fmt::format("{} is {:.3f} times as fast as {} (geometric mean over {}).", other.name,
                    std::exp(logarithms / common), first.name, text::counted(common, "row"))});
  section.parts.emplace_back(std::move(table));
  return section;
}

}  // namespace

Document comparison_of(const std::vector<StoredRun>& runs) {
  std::vector<View> metrics;
  for (const StoredRun& run : runs) metrics.push_back(run.stats.at("metrics"));
  std::string title = "Comparison of " + name_of(runs.front());
  for (std::size_t i = 1; i < runs.size(); ++i) title += " and " + name_of(runs[i]);
  return {title,
          name_of(runs.front()),
          {configuration_section(runs), attribution_section(runs),
           metrics_section(names_of(runs), metrics)}};
}

Document comparison_of(const std::vector<StoredList>& lists) {
  Document document{"Comparison with " + lists.front().name, lists.front().name, {}};
  for (std::size_t i = 1; i < lists.size(); ++i)
    document.sections.push_back(rows_section(lists.front(), lists[i]));
  return document;
}

}  // namespace tcsim::results
