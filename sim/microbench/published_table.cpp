#include "sim/microbench/published_table.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>

#include "sim/config/error.hpp"
#include "sim/config/number.hpp"
#include "sim/files/csv_table.hpp"
#include "sim/files/data_folder.hpp"
#include "sim/files/nearest.hpp"
#include "sim/files/shown_text.hpp"
#include "sim/microbench/programs.hpp"

namespace tcsim::microbench {
namespace {

namespace fs = std::filesystem;
using files::CsvField;

constexpr std::string_view kPrefix = "microbench_";
constexpr double kLeastFigure = 1e-6;  // below this, errors in percent are meaningless
constexpr double kLargestFigure = 1e12;
constexpr std::array<std::string_view, 6> kColumns{"suite", "test", "published",
                                                   "unit",  "set",  "source"};
enum Column : std::uint8_t { kSuite, kTest, kPublished, kUnit, kSet, kSource };

class TableReader {
 public:
  TableReader(std::string_view text, const std::string& file_name) : table_(text, file_name) {}

  std::vector<PublishedRow> read() {
    for (files::CsvRow row; table_.next(row);) {
      if (row.text.empty() || row.text.starts_with('#')) continue;
      if (!read_line(row)) break;
    }
    if (!has_header_ && messages_.empty()) report(1, "header", "the file has none");
    if (!messages_.empty()) throw config::ConfigError(std::move(messages_));
    return std::move(rows_);
  }

 private:
  void report(int column, std::string_view key, const std::string& reason) {
    messages_.push_back(table_.mistake(column, key, reason));
  }

  /// False if nothing after this line can be understood.
  bool read_line(const files::CsvRow& line) {
    const std::vector<CsvField>& fields = line.fields;
    if (const auto mistake = files::quote_mistake(line)) {
      report(fields[mistake->field].column, "row", std::string(mistake->reason));
      return has_header_;
    }
    if (!has_header_) return read_header(fields);
    if (fields.size() != kColumns.size()) {
      report(1, "row", fmt::format("{} cells for {} columns", fields.size(), kColumns.size()));
      return true;
    }
    read_row(fields);
    return true;
  }

  bool read_header(const std::vector<CsvField>& fields) {
    has_header_ = true;
    const bool equal =
        std::equal(fields.begin(), fields.end(), kColumns.begin(), kColumns.end(),
                   [](const CsvField& field, std::string_view name) { return field.text == name; });
    if (!equal) report(1, "header", fmt::format("the columns are {}", fmt::join(kColumns, ",")));
    return equal;
  }

  void read_row(const std::vector<CsvField>& fields) {
    PublishedRow row;
    row.suite = fields[kSuite].text;
    row.name = fields[kTest].text;
    row.unit = fields[kUnit].text;
    row.source = fields[kSource].text;
    const auto report_at = [&](Column column, const std::string& reason) {
      report(fields[column].column, kColumns[column], reason);
    };
    if (std::ranges::find(suites(), row.suite) == suites().end())
      report_at(kSuite, fmt::format("'{}' is not one of {}{}", row.suite, fmt::join(suites(), ", "),
                                    files::did_you_mean(row.suite, suites())));
    std::vector<std::string> mistakes;
    row.test = parse_test(row.name, mistakes);
    if (mistakes.empty()) check_program(row.test, mistakes);
    for (const std::string& mistake : mistakes) report_at(kTest, mistake);
    if (mistakes.empty())
      if (const std::string reason = check_unit(row.test, row.unit); !reason.empty())
        report_at(kUnit, reason);
    const auto number = config::read_number(fields[kPublished].text, "");
    if (!number.value)
      report_at(kPublished, number.reason);
    else if (*number.value <= 0)
      report_at(kPublished,
                fmt::format("{} is not above 0", files::shown(fields[kPublished].text)));
    else if (*number.value < kLeastFigure || *number.value > kLargestFigure)
      report_at(kPublished,
                fmt::format("{} is not between {} and {}", files::shown(fields[kPublished].text),
                            kLeastFigure, kLargestFigure));
    else
      row.published = *number.value;
    row.set_place = table_.place(fields[kSet].column);
    std::istringstream words(fields[kSet].text);
    for (std::string word; words >> word;) row.overrides.push_back(word);
    if (row.source.empty()) report_at(kSource, "is empty; a published figure needs a source");
    rows_.push_back(std::move(row));
  }

  files::CsvTable table_;
  bool has_header_ = false;
  std::vector<std::string> messages_;
  std::vector<PublishedRow> rows_;
};

fs::path tables_folder() {
  if (const char* given = std::getenv("TCSIM_VALIDATION"); given != nullptr && *given != '\0')
    return given;
  return files::data_folder("tests/validation");
}

}  // namespace

bool is_parameter(const PublishedRow& row) {
  const bool is_alone =
      std::ranges::all_of(std::array{"warps", "ilp", "stride", "ctas"},
                          [&](const char* name) { return row.test.value(name, 1) == 1; });
  return is_alone && (row.unit == "cycles" || row.unit == "us");
}

const std::vector<std::string_view>& suites() {
  static const std::vector<std::string_view> names{"mma", "alu",  "shared", "l1",
                                                   "l2",  "dram", "sync",   "launch"};
  return names;
}

std::vector<PublishedRow> read_published_table(std::string_view text,
                                               const std::string& file_name) {
  return TableReader(text, file_name).read();
}

std::string published_table_file(const std::string& machine) {
  const std::string stem = fs::path(machine).stem().string();
  const fs::path file = tables_folder() / fmt::format("{}{}.csv", kPrefix, stem);
  std::error_code ignored;
  if (fs::exists(file, ignored)) return file.string();
  std::vector<std::string> known;
  for (const auto& entry : fs::directory_iterator(tables_folder(), ignored))
    if (const std::string name = entry.path().stem().string(); name.starts_with(kPrefix))
      known.push_back(name.substr(kPrefix.size()));
  std::ranges::sort(known);
  throw config::ConfigError({fmt::format(
      "{}: no published figures (machines with a table: {}; or give one with --table FILE)",
      machine, fmt::join(known, ", "))});
}

}  // namespace tcsim::microbench
