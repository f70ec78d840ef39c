#include "sim/results/list_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

#include "sim/report/json_report.hpp"
#include "sim/report/row_table.hpp"
#include "sim/report/run_directory.hpp"
#include "sim/results/network_report.hpp"
#include "sim/results/sections.hpp"
#include "sim/text/spaced.hpp"

namespace tcsim::results {
namespace {

report::RowStatus status_of(const View& row) {
  for (const report::RowStatus status :
       {report::RowStatus::kDone, report::RowStatus::kStopped, report::RowStatus::kFailed})
    if (row.at("status").is(report::status_text(status))) return status;
  return report::RowStatus::kNotRun;
}

std::vector<report::TableRow> table_rows(const StoredList& list) {
  std::vector<report::TableRow> rows;
  for (const View& row : list.rows.elements()) {
    rows.push_back({row.at("row").get<int>(), row.at("machine").get<std::string>(),
                    row.at("workload").get<std::string>(), row.at("title").get<std::string>(),
                    status_of(row), row.at("reason").get<std::string>(),
                    row.at("directory").get<std::string>(), row.at("result").json()});
  }
  return rows;
}

Section verdict_section(const StoredList& list) {
  Section section{"verdict", "Verdict", {}};
  std::istringstream lines(report::summary_text(table_rows(list)));
  for (std::string line; std::getline(lines, line);)
    section.parts.emplace_back(Paragraph{line + "."});
  return section;
}

Cell figure_cell(const report::TableRow& row, const report::RowFigure& figure) {
  if (row.status != report::RowStatus::kDone) return {"-"};
  Cell cell{figure.text(row.result), figure.number(row.result)};
  cell.scale = figure.scale;
  return cell;
}

std::vector<Cell> row_cells(const report::TableRow& row,
                            const std::vector<report::RowFigure>& figures) {
  const bool is_done = row.status == report::RowStatus::kDone;
  std::vector<Cell> cells{{row.machine}, {row.title}};
  if (is_done) cells.back().target = row.directory + "/report.html";
  for (const report::RowFigure& figure : figures) cells.push_back(figure_cell(row, figure));
  cells.push_back({is_done ? row.result.at("bound_by").get<std::string>()
                           : fmt::format("{}: {}", report::status_text(row.status), row.reason)});
  return cells;
}

Section rows_section(const StoredList& list) {
  Section section{"rows", "Rows", {}};
  const std::vector<report::TableRow> rows = table_rows(list);
  const std::vector<report::RowFigure> figures = report::row_figures(rows);
  Table table{
      "One row per workload; its name links to its own report", {"machine", "workload"}, {}};
  for (const report::RowFigure& figure : figures) table.columns.push_back(figure.title);
  table.columns.emplace_back("bound by");
  for (const report::TableRow& row : rows) table.rows.push_back(row_cells(row, figures));
  section.parts.emplace_back(std::move(table));
  return section;
}

Section rooflines_section(const StoredList& list) {
  Section section{"roofline", "Roofline", {}};
  for (const std::string& machine : machines_of(list)) {
    const plot::Roofline roofline = roofline_of(list, machine);
    if (roofline.dots.empty() || roofline.ceilings.empty()) continue;
    section.parts.emplace_back(Figure{machine + ": one dot per row, by DRAM bytes.",
                                      plot::roofline_svg(roofline, plot::Theme::kPage),
                                      plot::roofline_ascii(roofline)});
  }
  if (section.parts.empty())
    section.parts.emplace_back(Paragraph{"Not applicable: no row has a rate."});
  return section;
}

/// The roofline in the files of `row` itself.
plot::Roofline own_roofline(const StoredList& list, const View& row) {
  const auto directory = std::filesystem::path(list.name) / row.at("directory").get<std::string>();
  return is_network(directory) ? roofline_of(load_network(directory))
                               : roofline_of(load_run(directory));
}

/// Names of rows in plots: titles, followed by the tile where rows of a machine share a title.
class RowNames {
 public:
  explicit RowNames(const StoredList& list) {
    for (const View& row : list.rows.elements()) ++rows_[key(row)];
  }
  [[nodiscard]] std::string of(const View& row) const {
    auto title = row.at("title").get<std::string>();
    if (rows_.at(key(row)) == 1) return title;
    const std::string tile = report::tile_of(row.at("result").json());
    return tile.empty() ? title : title + " " + tile;
  }

 private:
  using Key = std::pair<std::string, std::string>;
  static Key key(const View& row) {
    return {row.at("machine").get<std::string>(), row.at("title").get<std::string>()};
  }
  std::map<Key, int> rows_;
};

Section list_provenance(const StoredList& list) {
  Section section{"provenance", "Provenance", {}};
  Table table{"", {"", "value"}, {}};
  for (const char* key : {"command", "revision", "started_utc"})
    table.rows.push_back({{key}, {list.manifest.at(key).get<std::string>()}});
  table.rows.push_back(
      {{"simulated in"}, number_cell(list.manifest.at("wall_s").get<double>(), "{:.2f} s")});
  if (!list.verified) table.rows.push_back({{"files"}, {kNotVerified}});
  section.parts.emplace_back(std::move(table));
  for (const char* file : {"rows.csv", "rows.json", "stats.csv", "kernels.csv", "manifest.json"})
    if (std::filesystem::exists(std::filesystem::path(list.name) / file))
      section.parts.emplace_back(Link{file, file});
  return section;
}

}  // namespace

std::vector<std::string> machines_of(const StoredList& list) {
  std::vector<std::string> machines;
  for (const View& row : list.rows.elements()) {
    const auto machine = row.at("machine").get<std::string>();
    if (std::find(machines.begin(), machines.end(), machine) == machines.end())
      machines.push_back(machine);
  }
  return machines;
}

plot::Roofline roofline_of(const StoredList& list, const std::string& machine) {
  plot::Roofline roofline;
  const RowNames names(list);
  std::set<std::pair<std::string, double>> peaks;  // whose ceilings are there
  for (const View& row : list.rows.elements()) {
    if (!row.at("machine").is(machine) || !row.at("status").is("done")) continue;
    const View result = row.at("result");
    const View intensity = result.at("memory").at("arithmetic_intensity");
    const View rate = result.at("tflops");
    const auto has_place = [](const View& number) {  // on a logarithmic axis
      return number.is_number() && number.get<double>() > 0;
    };
    if (!has_place(rate) || !has_place(intensity)) continue;
    const bool is_first = roofline.slopes.empty();
    if (is_first) {
      roofline = own_roofline(list, row);
      roofline.dots.clear();
      roofline.best_intensity = 0;
      roofline.legend = {"a row, bytes of DRAM"};
      roofline.title = "Roofline of " + machine;
    }
    const View peak = result.at("peak_tflops");
    const std::pair formats_and_peak{result.at("dtype").get<std::string>(),
                                     peak.is_number() ? peak.get<double>() : 0};
    if (peaks.insert(formats_and_peak).second && !is_first)
      for (const auto& ceiling : own_roofline(list, row).ceilings)
        plot::add_ceiling(roofline, ceiling);
    roofline.dots.push_back({names.of(row), intensity.get<double>(), rate.get<double>(), 0});
  }
  return roofline;
}

plot::StackedBars stalls_of(const StoredList& list) {
  plot::StackedBars bars{"Where the cycles of the sub-cores went", {}, {}};
  std::vector<std::string> reasons;
  const RowNames names(list);
  for (const View& row : list.rows.elements()) {
    if (!row.at("status").is("done")) continue;
    const View cycles = row.at("result").at("cycles_by_reason");
    if (reasons.empty()) {
      for (const auto& [reason, count] : cycles.items()) {
        reasons.push_back(reason);
        bars.names.push_back(text::spaced(reason));
      }
      if (reasons.empty()) cycles.refuse("names no reason");
    }
    bars.rows.push_back({setting_of(row.at("result")) + " " + names.of(row), {}});
    double sum = 0;
    for (const std::string& reason : reasons) {
      constexpr double kMostCycles = 1e18;
      bars.rows.back().parts.push_back(cycles.at(reason).number(0, kMostCycles));
      sum += bars.rows.back().parts.back();
    }
    if (sum == 0) cycles.refuse("adds up to no cycle");
  }
  if (bars.rows.empty()) throw std::invalid_argument("no row has a result to draw");
  return bars;
}

Document report_of(const StoredList& list) {
  std::string title = list.manifest.at("workload").at("words").get<std::string>() + " on ";
  const std::vector<std::string> machines = machines_of(list);
  for (std::size_t i = 0; i < machines.size(); ++i) title += (i > 0 ? ", " : "") + machines[i];
  return {
      title,
      report::name_of_run(list.name),
      {verdict_section(list), rows_section(list), rooflines_section(list), list_provenance(list)}};
}

}  // namespace tcsim::results
