#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "sim/config/error.hpp"
#include "sim/config/nearest.hpp"
#include "sim/files/read_file.hpp"
#include "sim/results/table_plots.hpp"
#include "sim/stats/writers.hpp"
#include "sim/sweep/plot_data.hpp"
#include "workloads/import/csv_line.hpp"
#include "workloads/import/workload.hpp"

namespace tcsim::results {
namespace {

namespace fs = std::filesystem;

fs::path table_in(const fs::path& path) {
  if (!fs::is_directory(path)) return path;
  for (const char* file : {"rows.csv", "totals.csv"})
    if (fs::exists(path / file)) return path / file;
  throw files::IoError(path.string() + ": holds no table of results (rows.csv, totals.csv)");
}

std::vector<std::string> fields_of(const fs::path& path, int line, const std::string& text) {
  bool unclosed = false;
  std::vector<std::string> fields;
  for (workload::CsvField& field : workload::split_csv_line(text, unclosed))
    fields.push_back(std::move(field.text));
  if (unclosed)
    throw config::ConfigError({fmt::format("{}:{}:1: a quote is not closed", path.string(), line)});
  return fields;
}

/// The side of a GEMM with m = n = k; empty for everything else.
std::string side_of(const std::string& words) {
  if (!words.starts_with("gemm:")) return "";
  const std::vector<workload::Workload> parsed = workload::parse_workload(words);
  const auto* gemm = std::get_if<kernels::GemmProblem>(&parsed.front().work);
  if (gemm == nullptr || gemm->m != gemm->n || gemm->n != gemm->k || gemm->batch != 1) return "";
  return std::to_string(gemm->n);
}

/// What a sweep puts between `name` and `complete`, or the machine and workload of a list.
std::vector<std::string> keys_of(const std::vector<std::string>& columns) {
  const auto first = std::find(columns.begin(), columns.end(), "name");
  const auto last = std::find(columns.begin(), columns.end(), "complete");
  if (first < last && last != columns.end()) return {first + 1, last};
  std::vector<std::string> keys;
  for (const char* key : {"machine", "workload"})
    if (std::find(columns.begin(), columns.end(), key) != columns.end()) keys.emplace_back(key);
  return keys;
}

sweep::Total total_of(const std::vector<std::string>& columns,
                      const std::vector<std::string>& fields, int number) {
  sweep::Total total;
  total.configuration = number;
  total.complete = true;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    total.parameters.push_back({columns[i], fields[i]});
    total.metrics.push_back({columns[i], fields[i], sweep::as_number(fields[i])});
    const bool has_failed = (columns[i] == "status" && fields[i] != "done") ||
                            (columns[i] == "complete" && fields[i] != "yes");
    if (has_failed) total.complete = false;
  }
  return total;
}

void add_side(ResultTable& table) {
  if (std::find(table.columns.begin(), table.columns.end(), "n") != table.columns.end() ||
      std::find(table.columns.begin(), table.columns.end(), "workload") == table.columns.end())
    return;
  table.columns.emplace_back("n");
  for (sweep::Total& row : table.rows) {
    const std::string side = side_of(*sweep::find_value(row.parameters, "workload"));
    row.parameters.push_back({"n", side});
    row.metrics.push_back({"n", side, sweep::as_number(side)});
  }
}

}  // namespace

ResultTable read_result_table(const fs::path& wanted) {
  const fs::path path = table_in(wanted);
  const std::vector<std::uint8_t> bytes = files::read_file(path);
  std::istringstream lines(std::string(bytes.begin(), bytes.end()));
  ResultTable table;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty()) continue;
    std::vector<std::string> fields = fields_of(path, number, line);
    if (table.columns.empty()) {
      table.columns = std::move(fields);
      continue;
    }
    if (fields.size() != table.columns.size())
      throw config::ConfigError(
          {fmt::format("{}:{}:1: has {} fields, the header has {}", path.string(), number,
                       fields.size(), table.columns.size())});
    table.rows.push_back(total_of(table.columns, fields, number));
  }
  if (table.rows.empty())
    throw config::ConfigError({path.string() + ":1:1: is no table: a header and rows are needed"});
  table.keys = keys_of(table.columns);
  add_side(table);
  return table;
}

void require_column(const ResultTable& table, const std::string& column) {
  const std::vector<std::string_view> names(table.columns.begin(), table.columns.end());
  if (std::find(names.begin(), names.end(), column) != names.end()) return;
  throw config::ConfigError(
      {fmt::format("no column '{}' in the table{}", column, config::did_you_mean(column, names))});
}

}  // namespace tcsim::results
