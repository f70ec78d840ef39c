#include "sim/results/section.hpp"

#include <fmt/format.h>

#include <cmath>

#include <array>

#include "sim/report/layout.hpp"

namespace tcsim::results {

std::vector<bool> Table::number_columns() const {
  std::vector<bool> have(columns.size());
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) have[i] = have[i] || row[i].number.has_value();
  return have;
}

Cell count_cell(std::int64_t count) {
  return {report::with_thousands(count), static_cast<double>(count)};
}

Cell number_cell(std::optional<double> number, const char* format, double scale) {
  if (!number || !std::isfinite(*number * scale)) return {"not applicable"};
  const double value = *number + 0.0;  // which has no sign if it is zero
  return {fmt::format(fmt::runtime(format), value * scale), value, "", "", scale};
}

Cell metric_cell(const StoredRun& run, const std::string& name, const char* format, double scale) {
  Cell cell = number_cell(run.number(name), format, scale);
  cell.metric = name;
  return cell;
}

Cell percent_cell(const StoredRun& run, const std::string& name) {
  Cell cell = metric_cell(run, name, "{:.1f} %", 100);
  cell.scale = 1;  // the unit is in the text
  return cell;
}

Cell bytes_cell(const StoredRun& run, const std::string& name) {
  const std::optional<double> bytes = run.number(name);
  Cell cell = bytes ? Cell{readable_bytes(*bytes), bytes} : Cell{"not applicable"};
  cell.metric = name;
  return cell;
}

std::string readable_bytes(double bytes) {
  constexpr std::array<const char*, 5> kUnits{"B", "kB", "MB", "GB", "TB"};
  constexpr double kStep = 1000;
  std::size_t unit = 0;
  while (bytes >= kStep && unit + 1 < kUnits.size()) {
    bytes /= kStep;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.3g} {}", bytes, kUnits[unit]);
}

}  // namespace tcsim::results
