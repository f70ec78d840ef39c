#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <stdexcept>

#include "sim/config/error.hpp"
#include "sim/files/csv_table.hpp"
#include "sim/files/nearest.hpp"
#include "sim/files/read_file.hpp"
#include "sim/files/shown_text.hpp"
#include "sim/results/table_plots.hpp"
#include "sim/stats/writers.hpp"
#include "sim/sweep/plot_data.hpp"
#include "sim/sweep/template_text.hpp"
#include "sim/text/number.hpp"
#include "sim/text/outgoing.hpp"
#include "workloads/import/workload.hpp"
#include "workloads/trace/input_error.hpp"

namespace tcsim::results {
namespace {

namespace fs = std::filesystem;

fs::path table_in(const fs::path& path) {
  if (!fs::is_directory(path)) return path;
  for (const char* file : {"rows.csv", "totals.csv"})
    if (fs::exists(path / file)) return path / file;
  throw IoError(path.string() + ": holds no table of results (rows.csv, totals.csv)");
}

/// "file:line:column" of the field of `row` in `column`.
std::string field_place(const ResultTable& table, const sweep::Total& row,
                        std::string_view column) {
  const auto index =
      static_cast<std::size_t>(std::ranges::find(table.columns, column) - table.columns.begin());
  const auto place = table.places.find(row.configuration);
  const bool is_written = place != table.places.end() && index < place->second.size();
  return fmt::format("{}:{}:{}", table.file, row.configuration,
                     is_written ? place->second[index] : 1);
}

/// The workload of `row` with the values of a sweep's axes in it; empty if it has none, or none of
/// one axis.
std::string workload_of(const sweep::Total& row) {
  const std::string* const words = sweep::find_value(row.parameters, "workload");
  if (words == nullptr) return "";
  for (const std::string& name : sweep::names_in(*words))
    if (sweep::find_value(row.parameters, name) == nullptr) return "";
  return sweep::replaced(*words, row.parameters);
}

/// The GEMM with m = n = k of `row`; nothing for everything else.
/// Throws config::ConfigError with the place of a workload that is none.
std::optional<kernels::GemmProblem> square_of(const ResultTable& table, const sweep::Total& row) {
  const std::string words = workload_of(row);
  if (!words.starts_with("gemm:")) return {};
  std::vector<workload::Workload> parsed;
  try {
    parsed = workload::parse_workload(words);
  } catch (const InputError& error) {
    throw config::ConfigError(
        {fmt::format("{}: {}", field_place(table, row, "workload"), error.what())});
  }
  const auto* gemm = std::get_if<kernels::GemmProblem>(&parsed.front().work);
  if (gemm == nullptr || gemm->m != gemm->n || gemm->n != gemm->k || gemm->batch != 1) return {};
  return *gemm;
}

/// The number format of the operands of a square product; empty if it is not known.
std::string format_of(const ResultTable& table, const sweep::Total& row) {
  if (const auto square = square_of(table, row))
    return std::string(kernels::element_name(square->input));
  return row.text("dtype");
}

/// What a sweep puts between `name` and `part` or `complete`, or the machine and workload of a
/// list.
std::vector<std::string> keys_of(const std::vector<std::string>& columns) {
  const auto first = std::find(columns.begin(), columns.end(), "name");
  const auto last = std::find_if(first, columns.end(), [](const std::string& column) {
    return column == "part" || column == "complete";
  });
  if (last != columns.end()) return {first + 1, last};
  std::vector<std::string> keys;
  for (const char* key : {"machine", "workload"})
    if (std::find(columns.begin(), columns.end(), key) != columns.end()) keys.emplace_back(key);
  return keys;
}

/// A machine with changes is another machine than the one whose name it has.
void name_changes(sweep::Parameters& parameters) {
  const std::string* const changes = sweep::find_value(parameters, "overrides");
  if (changes == nullptr || changes->empty()) return;
  for (auto& [name, value] : parameters)
    if (name == "machine") value += ", " + *changes;
}

sweep::Total total_of(const std::vector<std::string>& columns,
                      const std::vector<std::string>& fields, int number) {
  sweep::Total total;
  total.configuration = number;
  total.complete = true;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    total.parameters.push_back({columns[i], fields[i]});
    total.metrics.push_back({columns[i], fields[i], text::finite_number_of(fields[i])});
    const bool has_failed = (columns[i] == "status" && fields[i] != "done") ||
                            (columns[i] == "complete" && fields[i] != "yes");
    if (has_failed) total.complete = false;
  }
  name_changes(total.parameters);
  return total;
}

bool has_column(const ResultTable& table, std::string_view column) {
  return std::ranges::find(table.columns, column) != table.columns.end();
}

/// Gives every row the side of its workload as `n`, in the place of another one.
void set_sides(ResultTable& table) {
  for (sweep::Total& row : table.rows) {
    const auto square = square_of(table, row);
    const std::string side = square ? std::to_string(square->n) : "";
    std::erase_if(row.parameters, [](const auto& parameter) { return parameter.first == "n"; });
    std::erase_if(row.metrics, [](const sweep::MetricValue& metric) { return metric.name == "n"; });
    row.parameters.emplace_back("n", side);
    row.metrics.push_back({"n", side, text::finite_number_of(side)});
  }
}

void add_side(ResultTable& table) {
  if (has_column(table, "n") || !has_column(table, "workload")) return;
  table.columns.emplace_back("n");
  set_sides(table);
}

}  // namespace

void keep_square_products(ResultTable& table) {
  if (has_column(table, "workload")) set_sides(table);
  std::erase_if(table.rows, [](const sweep::Total& row) { return !row.number("n"); });
}

std::string series_of_machines(ResultTable& table) {
  std::set<std::string> formats;
  for (const sweep::Total& row : table.rows)
    if (row.complete) formats.insert(format_of(table, row));
  if (!has_column(table, "machine"))
    return formats.size() > 1 && has_column(table, "dtype") ? "dtype" : "";
  if (formats.size() > 1) {
    for (sweep::Total& row : table.rows)
      for (auto& [name, value] : row.parameters)
        if (name == "machine") value += ", " + format_of(table, row);
  }
  return "machine";
}

void name_repeats(ResultTable& table, const std::vector<std::string>& columns) {
  if (!has_column(table, "row") || std::ranges::find(columns, "workload") == columns.end()) return;
  std::set<std::vector<std::string>> seen;
  std::set<std::string> repeated;
  for (const sweep::Total& row : table.rows) {
    if (!row.complete) continue;
    std::vector<std::string> values;
    for (const std::string& column : columns)
      values.push_back(sweep::value_of(row.parameters, column));
    if (!seen.insert(std::move(values)).second)
      repeated.insert(sweep::value_of(row.parameters, "workload"));
  }
  for (sweep::Total& row : table.rows)
    for (auto& [name, value] : row.parameters)
      if (name == "workload" && repeated.contains(value))
        value += fmt::format(" (row {})", sweep::value_of(row.parameters, "row"));
}

void keep_rows(ResultTable& table, const std::string& column, const std::string& value) {
  require_column(table, column);
  std::erase_if(table.rows, [&](const sweep::Total& row) {
    return sweep::value_of(row.parameters, column) != value;
  });
  if (table.rows.empty())
    throw std::invalid_argument(fmt::format("no row has {} {}", column, files::shown(value)));
}

ResultTable read_result_table(const fs::path& wanted) {
  const fs::path path = table_in(wanted);
  return parse_result_table(files::read_file(path, files::FileKind::kTable), path.string());
}

ResultTable parse_result_table(const std::string& text, const std::string& name) {
  ResultTable table;
  table.file = name;
  files::CsvTable lines(text, name);
  files::CsvRow row;
  const auto refuse = [&](std::size_t field, std::string_view reason) {
    throw config::ConfigError(
        {fmt::format("{}: {}", lines.place(row.fields[field].column), reason)});
  };
  while (lines.next(row)) {
    if (row.text.empty()) continue;
    if (const auto mistake = files::quote_mistake(row)) refuse(mistake->field, mistake->reason);
    std::vector<std::string> fields;
    std::vector<int> columns;
    for (files::CsvField& field : row.fields) {
      fields.push_back(text::from_csv_field(std::move(field.text)));
      columns.push_back(field.column);
    }
    if (table.columns.empty()) {
      if (fields.size() == 1 && files::with_commas(row.text) != row.text)
        refuse(0, files::kUseCommas);
      std::set<std::string_view> names;
      for (std::size_t i = 0; i < fields.size(); ++i)
        if (!fields[i].empty() && !names.insert(fields[i]).second)
          refuse(i, fmt::format("header: {} is given twice", files::shown(fields[i])));
      table.columns = std::move(fields);
      table.header_line = lines.line();
      continue;
    }
    if (fields.size() != table.columns.size())
      refuse(0,
             fmt::format("has {} fields, the header has {}", fields.size(), table.columns.size()));
    table.rows.push_back(total_of(table.columns, fields, lines.line()));
    table.places.emplace(lines.line(), std::move(columns));
  }
  if (table.rows.empty())
    throw config::ConfigError({name + ":1:1: not a table: a header and rows are needed"});
  table.keys = keys_of(table.columns);
  add_side(table);
  return table;
}

void require_column(const ResultTable& table, const std::string& column) {
  const std::vector<std::string_view> names(table.columns.begin(), table.columns.end());
  if (has_column(table, column)) return;
  throw config::ConfigError(
      {fmt::format("{}:{}:1: header: no column {}{}", table.file, table.header_line,
                   files::shown(column), files::did_you_mean(column, names))});
}

void require_numbers(const ResultTable& table, const std::string& column, double least,
                     double most) {
  require_column(table, column);
  for (const sweep::Total& row : table.rows) {
    if (!row.complete) continue;
    const auto number = row.number(column);
    if (number && *number >= least && *number <= most) continue;
    throw config::ConfigError(
        {fmt::format("{}: {}: expected a number from {} to {}, got '{}'",
                     field_place(table, row, column), column, least, most, row.text(column))});
  }
}

}  // namespace tcsim::results
