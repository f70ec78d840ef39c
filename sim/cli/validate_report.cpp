#include "sim/cli/validate_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>

#include "sim/files/json_text.hpp"
#include "sim/report/layout.hpp"
#include "sim/text/counted.hpp"
#include "sim/text/outgoing.hpp"

namespace tcsim::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using validate::Comparison;
using validate::GroupScore;
using validate::Measurement;
using validate::MeasurementList;

constexpr std::size_t kWorstRows = 10;

std::string percent(double value) { return fmt::format("{:.1f}", value); }

std::vector<std::string> score_cells(const GroupScore& score, bool has_named) {
  std::vector<std::string> cells{
      score.gpu,
      score.op,
      score.dtype,
      score.size_class,
      std::to_string(score.rows),
      percent(score.mape),
      percent(score.median_ape),
      fmt::format("{:+.1f}", score.bias),
      percent(score.p90_ape),
      score.pearson_log ? fmt::format("{:.4f}", *score.pearson_log) : "-"};
  if (has_named)
    std::ranges::move(
        score.named ? std::vector{std::to_string(score.named->rows), percent(score.named->mape),
                                  percent(score.named->chosen_mape)}
                    : std::vector<std::string>(3),
        std::back_inserter(cells));
  if (score.tiles)
    std::ranges::move(std::vector{percent(score.tiles->tried), percent(score.tiles->fastest_mape),
                                  percent(score.tiles->nearest_mape)},
                      std::back_inserter(cells));
  return cells;
}

Table scores(const std::vector<Comparison>& rows) {
  Table table{
      {"gpu", "op", "dtype", "size class", "rows", "mean |%|", "median", "bias", "90th", "log r"},
      {}};
  const GroupScore total = validate::score_total(rows);
  const bool has_named = total.named.has_value();
  if (has_named)
    for (const char* title : {"named", "as named |%|", "as chosen |%|"})
      table.columns.emplace_back(title);
  if (total.tiles)
    for (const char* title : {"tiles", "fastest |%|", "nearest |%|"})
      table.columns.emplace_back(title);
  for (const GroupScore& score : validate::score_groups(rows))
    table.rows.push_back(score_cells(score, has_named));
  table.rows.push_back(score_cells(total, has_named));
  return table;
}

/// What the last columns of the scores mean, where they are there.
std::string tiles_text(const std::vector<Comparison>& rows) {
  std::string text;
  if (std::ranges::any_of(rows, [](const Comparison& row) { return row.named.has_value(); }))
    text =
        "named: rows whose source names the kernel; mean |%| of these rows with that kernel and "
        "with the chosen one\n";
  if (rows.front().tiles.empty()) return text;
  return text +
         "tiles: tried per row, on average; fastest: mean |%| with the tile that simulates "
         "fastest; nearest: with the tile nearest to the measured\ntime, which leaves only the "
         "error of the model, not that of the choice\n";
}

Table worst_rows(std::vector<Comparison> rows) {
  const std::size_t count = std::min(kWorstRows, rows.size());
  std::partial_sort(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count), rows.end(),
                    [](const Comparison& a, const Comparison& b) {
                      return std::abs(a.error_percent()) > std::abs(b.error_percent());
                    });
  Table table{{"gpu", "source", "workload", "measured us", "simulated us", "error %", "tile"}, {}};
  for (std::size_t i = 0; i < count; ++i) {
    const Comparison& row = rows[i];
    table.rows.push_back({row.measurement.gpu, row.measurement.source, row.measurement.workload,
                          fmt::format("{:.2f}", row.measurement.time_us),
                          fmt::format("{:.2f}", row.simulated_us),
                          fmt::format("{:+.1f}", row.error_percent()), row.tile});
  }
  return table;
}

}  // namespace

std::string failed_text(const run::ValidationRuns& runs) {
  std::string text;
  for (const run::FailedRow& row : runs.failed)
    text += fmt::format("failed: {}:{}: {}: {}\n", row.measurement.file, row.measurement.line,
                        row.measurement.workload, row.reason);
  return text;
}

std::string skipped_text(const MeasurementList& list) {
  std::string text;
  for (const auto& [reason, count] : validate::by_reason(list.skipped)) {
    const validate::SkippedRow& first =
        *std::ranges::find(list.skipped, reason, &validate::SkippedRow::reason);
    text += fmt::format("not scored: {}, first {}:{}: {}\n", text::counted(count, "row"),
                        first.file, first.line, reason);
  }
  return text;
}

Json validation_json(const MeasurementList& list, const run::ValidationRuns& runs) {
  Json json;
  json["groups"] = Json::array();
  for (const GroupScore& score : validate::score_groups(runs.rows))
    json["groups"].push_back(validate::score_json(score));
  json["total"] =
      runs.rows.empty() ? Json() : validate::score_json(validate::score_total(runs.rows));
  json["skipped"] = validate::by_reason(list.skipped);
  json["failed"] = Json::array();
  for (const run::FailedRow& row : runs.failed)
    json["failed"].push_back({{"file", fs::path(row.measurement.file).filename().string()},
                              {"line", row.measurement.line},
                              {"workload", row.measurement.workload},
                              {"reason", row.reason}});
  return json;
}

std::string rows_csv(const std::vector<Comparison>& rows) {
  const bool has_tiles = !rows.front().tiles.empty();
  std::string text =
      "file,line,gpu,machine,op,dtype,workload,source_id,measured_us,simulated_us,error_percent,"
      "tile,bound_by,flop,roofline_us,libraries,named_tile,named_us";
  if (has_tiles) text += ",tiles_tried,fastest_tile,fastest_tile_us,nearest_tile,nearest_tile_us";
  text += "\n";
  for (const Comparison& row : rows) {
    const Measurement& m = row.measurement;
    text += fmt::format("{},{},{},{},{},{},{},{},{:.6g},{:.6g},{:.3f},{},{},{:.6g},{:.6g},{}",
                        text::csv_field(fs::path(m.file).filename().string()), m.line,
                        text::csv_field(m.gpu), text::csv_field(m.model.machine), m.op, m.dtype,
                        text::csv_field(m.workload), text::csv_field(m.source), m.time_us,
                        row.simulated_us, row.error_percent(), text::csv_field(row.tile),
                        text::csv_field(row.bound_by), m.flop, row.roofline_us,
                        text::csv_field(fmt::format("{}", fmt::join(m.traits.libraries, " "))));
    text += row.named ? fmt::format(",{},{:.6g}", text::csv_field(row.named->tile),
                                    row.named->simulated_us)
                      : ",,";
    if (has_tiles)
      text += fmt::format(",{},{},{:.6g},{},{:.6g}", row.tiles.size(),
                          text::csv_field(row.fastest().tile), row.fastest().simulated_us,
                          text::csv_field(row.nearest().tile), row.nearest().simulated_us);
    text += "\n";
  }
  return text;
}

std::string validation_text(Format format, const MeasurementList& list,
                            const run::ValidationRuns& runs) {
  if (format == Format::kJson) return files::json_text(validation_json(list, runs), 2) + "\n";
  if (format == Format::kCsv) return rows_csv(runs.rows);
  const Table table = scores(runs.rows);
  const Table worst = worst_rows(runs.rows);
  if (format == Format::kMarkdown)
    return report::markdown_table(table) + "\n" + report::markdown_table(worst);
  return report::aligned_table(table) + tiles_text(runs.rows) + "\nworst rows\n" +
         report::aligned_table(worst) + "\n" + skipped_text(list) + failed_text(runs);
}

}  // namespace tcsim::cli
