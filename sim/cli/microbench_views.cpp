#include "sim/cli/microbench_views.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "sim/cli/interrupt.hpp"
#include "sim/files/json_text.hpp"
#include "sim/microbench/key_variation.hpp"
#include "sim/report/or_null.hpp"

namespace tcsim::cli {
namespace {

using Json = nlohmann::ordered_json;
using microbench::KeyVariation;
using microbench::MeasuredRow;
using microbench::PublishedRow;
using microbench::Variants;

struct MovedRow {
  MeasuredRow plain;
  KeyVariation moved;
};

bool goes_on() { return InterruptGuard::pending_signal() == 0; }

/// Percent by which `value` differs from the plain figure of `row`, if both exist.
std::optional<double> change(const std::optional<double>& value, const MeasuredRow& row) {
  if (!value || !row.model) return {};
  return 100 * (*value - *row.model) / *row.model;
}

std::vector<MovedRow> move_rows(const std::vector<MeasuredRow>& plain, const Variants& variants,
                                const VariationRequest& request) {
  std::vector<MovedRow> rows;
  for (const MeasuredRow& row : plain) {
    if (!goes_on()) break;
    rows.push_back(
        {row, microbench::vary(row.row, variants, request.machine, request.overrides, goes_on)});
  }
  return rows;
}

std::string change_text(const std::optional<double>& value, const MeasuredRow& row, Format format) {
  const std::optional<double> percent = change(value, row);
  if (format == Format::kCsv) return percent ? fmt::format("{:.2f}", *percent) : "";
  return percent ? fmt::format("{:+.1f} %", *percent) : "-";
}

/// The largest change under one variant, as "+3.1 % of NAME".
std::string largest_change(const std::vector<MovedRow>& rows,
                           std::optional<double> KeyVariation::*variant) {
  constexpr double kLeastPercent = 0.05;
  std::optional<double> largest;
  std::string name;
  for (const auto& [plain, moved] : rows) {
    const std::optional<double> percent = change(moved.*variant, plain);
    if (!percent || (largest && std::abs(*percent) <= std::abs(*largest))) continue;
    largest = percent;
    name = plain.row.name;
  }
  if (!largest) return "refused";
  return std::abs(*largest) < kLeastPercent ? "0" : fmt::format("{:+.1f} % of {}", *largest, name);
}

bool moves_noticeably(const MovedRow& row) {
  constexpr double kNoticedPercent = 1;
  return std::ranges::any_of(
      std::array{row.moved.halved, row.moved.doubled}, [&row](const std::optional<double>& value) {
        return std::abs(change(value, row.plain).value_or(0)) > kNoticedPercent;
      });
}

/// `value` with four significant digits, as the studies print theirs.
std::string figure_text(double value) {
  if (value >= 1000) return fmt::format("{:.0f}", value);
  if (value >= 100) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

Table row_table(const std::vector<MeasuredRow>& rows, bool for_people) {
  Table table;
  table.columns = {"suite",     "name", "model",
                   "published", "unit", for_people ? "error" : "error_percent",
                   "source"};
  for (const MeasuredRow& row : rows) {
    std::string model = for_people ? row.reason : "";
    std::string error;
    if (row.model) {
      model = for_people ? figure_text(*row.model) : fmt::format("{:.6g}", *row.model);
      error = for_people ? fmt::format("{:+.1f} %", row.error_percent())
                         : fmt::format("{:.2f}", row.error_percent());
    }
    table.rows.push_back(
        {row.row.suite, row.row.name, model,
         for_people ? figure_text(row.row.published) : fmt::format("{:g}", row.row.published),
         row.row.unit, error, row.row.source});
  }
  return table;
}

struct Summary {
  int rows = 0;
  int measured = 0;
  int within_5 = 0;
  int within_15 = 0;
  double largest_percent = 0;
  int predictions = 0;  ///< rows that show no number of the machine file from outside
  int predictions_within_5 = 0;
};

Summary summarise(const std::vector<MeasuredRow>& rows) {
  Summary summary;
  for (const MeasuredRow& row : rows) {
    const bool is_prediction = !is_parameter(row.row);
    ++summary.rows;
    summary.predictions += is_prediction ? 1 : 0;
    if (!row.model) continue;
    const double error = std::abs(row.error_percent());
    ++summary.measured;
    summary.within_5 += error <= 5 ? 1 : 0;
    summary.within_15 += error <= 15 ? 1 : 0;
    summary.predictions_within_5 += is_prediction && error <= 5 ? 1 : 0;
    summary.largest_percent = std::max(summary.largest_percent, error);
  }
  return summary;
}

std::string as_json(const std::string& machine, const std::string& table,
                    const std::vector<MeasuredRow>& rows) {
  const Summary summary = summarise(rows);
  Json json{{"machine", machine}, {"table", table}, {"rows", Json::array()}};
  for (const MeasuredRow& row : rows) {
    Json item{{"suite", row.row.suite},
              {"name", row.row.name},
              {"kind", is_parameter(row.row) ? "parameter" : "prediction"},
              {"model", row.model ? Json(*row.model) : Json()},
              {"published", row.row.published},
              {"unit", row.row.unit},
              {"error_percent", row.model ? Json(row.error_percent()) : Json()},
              {"source", row.row.source},
              {"set", row.row.overrides}};
    if (!row.model) item["reason"] = row.reason;
    json["rows"].push_back(std::move(item));
  }
  json["summary"] = {{"rows", summary.rows},
                     {"measured", summary.measured},
                     {"within_5_percent", summary.within_5},
                     {"within_15_percent", summary.within_15},
                     {"largest_error_percent", summary.largest_percent},
                     {"predictions", summary.predictions},
                     {"predictions_within_5_percent", summary.predictions_within_5}};
  return files::json_text(json, 2) + "\n";
}

std::string as_text(const std::string& machine, const std::string& table,
                    const std::vector<MeasuredRow>& rows, Format format) {
  const Summary summary = summarise(rows);
  return fmt::format(
      "{}: published microbenchmarks of {}, run on the model.\n\n{}\n{} of {} rows have a value; "
      "{} within 5 %, {} within 15 %, largest error {:.1f} %. {} are predictions, {} of them "
      "within "
      "5 %; the other rows measure from outside a number of the machine file.\n",
      machine, table, render(row_table(rows, true), format), summary.measured, summary.rows,
      summary.within_5, summary.within_15, summary.largest_percent, summary.predictions,
      summary.predictions_within_5);
}

}  // namespace

std::vector<MeasuredRow> measure_rows(const std::vector<PublishedRow>& rows,
                                      const std::string& machine,
                                      const std::vector<std::string>& overrides) {
  std::vector<MeasuredRow> measured;
  for (const PublishedRow& row : rows)
    measured.push_back(goes_on() ? microbench::measure(row, machine, overrides, goes_on)
                                 : MeasuredRow{row, {}, "interrupted"});
  return measured;
}

std::string measured_view(const std::string& machine, const std::string& table,
                          const std::vector<MeasuredRow>& rows, Format format) {
  switch (format) {
    case Format::kJson:
      return as_json(machine, table, rows);
    case Format::kCsv:
      return render(row_table(rows, false), format);
    case Format::kText:
    case Format::kMarkdown:
      break;
  }
  return as_text(machine, table, rows, format);
}

std::string key_text(const VariationRequest& request, const std::string& key) {
  const Variants variants = microbench::variants_of(key, request.machine, request.overrides);
  const bool is_csv = request.format == Format::kCsv;
  Table table{{"suite", "name", "model", "unit", is_csv ? "halved_percent" : variants.halved,
               is_csv ? "doubled_percent" : variants.doubled},
              {}};
  Json json{{"key", key},
            {"value", variants.value},
            {"source", variants.source},
            {"rows", Json::array()}};
  const std::vector<MeasuredRow> all =
      measure_rows(request.rows, request.machine, request.overrides);
  for (const auto& [plain, moved] : move_rows(all, variants, request)) {
    const PublishedRow& row = plain.row;
    std::string model = is_csv ? "" : plain.reason;
    if (plain.model)
      model = is_csv ? fmt::format("{:.6g}", *plain.model) : figure_text(*plain.model);
    table.rows.push_back({row.suite, row.name, model, row.unit,
                          change_text(moved.halved, plain, request.format),
                          change_text(moved.doubled, plain, request.format)});
    json["rows"].push_back({{"name", row.name},
                            {"model", report::or_null(plain.model)},
                            {"unit", row.unit},
                            {"halved", report::or_null(moved.halved)},
                            {"doubled", report::or_null(moved.doubled)}});
  }
  if (request.format == Format::kJson) return files::json_text(json, 2) + "\n";
  const std::string title = is_csv ? ""
                                   : fmt::format("{} = {} ({}), halved and doubled.\n\n", key,
                                                 variants.value, variants.source);
  return title + render(table, request.format);
}

std::string assumptions_text(const VariationRequest& request) {
  const std::vector<MeasuredRow> plain =
      measure_rows(request.rows, request.machine, request.overrides);
  Table table{{"key", "value", "halved", "doubled", "rows_moved"}, {}};
  for (const std::string& key : microbench::assumed_keys(request.machine, request.overrides)) {
    if (!goes_on()) break;
    const Variants variants = microbench::variants_of(key, request.machine, request.overrides);
    const std::vector<MovedRow> moved = move_rows(plain, variants, request);
    table.rows.push_back({key, variants.value, largest_change(moved, &KeyVariation::halved),
                          largest_change(moved, &KeyVariation::doubled),
                          fmt::format("{}", std::ranges::count_if(moved, moves_noticeably))});
  }
  return render(table, request.format);
}

}  // namespace tcsim::cli
