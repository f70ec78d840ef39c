#include "sim/cli/sensitivity_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "sim/cli/interrupt.hpp"
#include "sim/files/json_text.hpp"
#include "sim/microbench/sensitivity.hpp"
#include "sim/report/or_null.hpp"

namespace tcsim::cli {
namespace {

using Json = nlohmann::ordered_json;
using microbench::MeasuredRow;
using microbench::PublishedRow;
using microbench::Sensitivity;
using microbench::Variants;

struct MovedRow {
  MeasuredRow plain;
  Sensitivity moved;
};

bool goes_on() { return InterruptGuard::pending_signal() == 0; }

/// Percent by which `value` differs from the plain figure of `row`, if both exist.
std::optional<double> change(const std::optional<double>& value, const MeasuredRow& row) {
  if (!value || !row.model) return {};
  return 100 * (*value - *row.model) / *row.model;
}

std::vector<MovedRow> move_rows(const std::vector<MeasuredRow>& plain, const Variants& variants,
                                const SensitivityRequest& request) {
  std::vector<MovedRow> rows;
  for (const MeasuredRow& row : plain) {
    if (!goes_on()) break;
    rows.push_back({row, microbench::sensitivity(row.row, variants, request.machine,
                                                 request.overrides, goes_on)});
  }
  return rows;
}

std::string change_text(const std::optional<double>& value, const MeasuredRow& row) {
  const std::optional<double> percent = change(value, row);
  return percent ? fmt::format("{:+.1f} %", *percent) : "-";
}

/// The largest change under one variant, as "+3.1 % of NAME".
std::string largest_change(const std::vector<MovedRow>& rows,
                           std::optional<double> Sensitivity::*variant) {
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

/// The table as an array of objects.
std::string rendered(const Table& table, Format format) {
  if (format != Format::kJson) return render(table, format);
  Json rows = Json::array();
  for (const auto& cells : table.rows) {
    Json row;
    for (std::size_t i = 0; i < cells.size(); ++i) row[table.columns[i]] = cells[i];
    rows.push_back(row);
  }
  return files::json_text(rows, 2) + "\n";
}

}  // namespace

std::string figure_text(double value) {
  if (value >= 1000) return fmt::format("{:.0f}", value);
  if (value >= 100) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

std::vector<MeasuredRow> measure_rows(const std::vector<PublishedRow>& rows,
                                      const std::string& machine,
                                      const std::vector<std::string>& overrides) {
  std::vector<MeasuredRow> measured;
  for (const PublishedRow& row : rows) {
    measured.push_back(microbench::measure(row, machine, overrides, goes_on));
    if (!goes_on()) break;
  }
  return measured;
}

std::string sensitivity_text(const SensitivityRequest& request, const std::string& key) {
  const Variants variants = microbench::variants_of(key, request.machine, request.overrides);
  Table table{{"suite", "name", "model", "unit", variants.halved, variants.doubled}, {}};
  Json json{{"key", key},
            {"value", variants.value},
            {"source", variants.source},
            {"rows", Json::array()}};
  const std::vector<MeasuredRow> all =
      measure_rows(request.rows, request.machine, request.overrides);
  for (const auto& [plain, moved] : move_rows(all, variants, request)) {
    const PublishedRow& row = plain.row;
    table.rows.push_back({row.suite, row.name,
                          plain.model ? figure_text(*plain.model) : plain.reason, row.unit,
                          change_text(moved.halved, plain), change_text(moved.doubled, plain)});
    json["rows"].push_back({{"name", row.name},
                            {"model", report::or_null(plain.model)},
                            {"unit", row.unit},
                            {"halved", report::or_null(moved.halved)},
                            {"doubled", report::or_null(moved.doubled)}});
  }
  if (request.format == Format::kJson) return files::json_text(json, 2) + "\n";
  const std::string title = request.format == Format::kCsv
                                ? ""
                                : fmt::format("{} = {} ({}), halved and doubled.\n\n", key,
                                              variants.value, variants.source);
  return title + render(table, request.format);
}

std::string assumptions_text(const SensitivityRequest& request) {
  const std::vector<MeasuredRow> plain =
      measure_rows(request.rows, request.machine, request.overrides);
  Table table{{"key", "value", "halved", "doubled", "rows_moved"}, {}};
  for (const std::string& key : microbench::assumed_keys(request.machine, request.overrides)) {
    if (!goes_on()) break;
    const Variants variants = microbench::variants_of(key, request.machine, request.overrides);
    const std::vector<MovedRow> moved = move_rows(plain, variants, request);
    table.rows.push_back({key, variants.value, largest_change(moved, &Sensitivity::halved),
                          largest_change(moved, &Sensitivity::doubled),
                          fmt::format("{}", std::ranges::count_if(moved, moves_noticeably))});
  }
  return rendered(table, request.format);
}

}  // namespace tcsim::cli
