#include "sim/labs/roster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "sim/config/error.hpp"
#include "sim/files/csv_table.hpp"
#include "sim/files/read_file.hpp"
#include "sim/labs/grade_text.hpp"
#include "sim/text/name.hpp"
#include "sim/text/outgoing.hpp"
#include "sim/text/trimmed.hpp"

namespace tcsim::labs {
namespace {

constexpr std::array<std::string_view, 2> kRosterColumns{"student", "folder"};

std::vector<files::CsvField> trimmed_fields(const files::CsvRow& row) {
  std::vector<files::CsvField> fields;
  for (const files::CsvField& field : row.fields)
    fields.push_back({text::trimmed(field.text), field.column});
  return fields;
}

std::string student_mistake(const std::string& student) {
  if (student == kGradesFile)
    return fmt::format("'{}' is a file that stands beside the folders of the students", student);
  return text::name_mistake(student);
}

std::string folder_mistake(const std::string& folder) {
  const bool is_one_name = !folder.empty() && folder != "." && folder != ".." &&
                           folder.find('/') == std::string::npos &&
                           text::one_line(folder) == folder;
  return is_one_name ? ""
                     : fmt::format("'{}' is not the name of one folder", text::one_line(folder));
}

class Reader {
 public:
  Reader(std::string_view text, std::string file) : table_(text, std::move(file)) {}

  std::vector<Enrolled> read() {
    files::CsvRow row;
    table_.next(row);
    read_header(row);
    const bool is_header_sound = mistakes_.empty();
    while (is_header_sound && table_.next(row))
      if (!text::trimmed(row.text).empty()) read_row(row);
    if (mistakes_.empty() && rows_.empty()) refuse(1, "it lists no student");
    if (!mistakes_.empty()) throw config::ConfigError(mistakes_);
    return std::move(rows_);
  }

 private:
  void refuse(int column, std::string_view reason) {
    mistakes_.push_back(fmt::format("{}: {}", table_.place(column), reason));
  }

  void read_header(const files::CsvRow& row) {
    if (row.unclosed) return refuse(1, "a quote is not closed");
    const std::vector<files::CsvField> header = trimmed_fields(row);
    if (header.size() == 1 && files::with_commas(header[0].text) != header[0].text)
      return refuse(1, files::kUseCommas);
    for (const std::string_view name : kRosterColumns) {
      const bool is_needed = name == kRosterColumns.front();
      const std::string mistake = table_.column_mistake(header, name, kRosterColumns, is_needed);
      if (!mistake.empty()) mistakes_.push_back(mistake);
    }
    const auto column = [&](std::string_view name) {
      const auto found = std::ranges::find(header, name, &files::CsvField::text);
      return found == header.end() ? std::ptrdiff_t{-1} : found - header.begin();
    };
    student_ = column(kRosterColumns[0]);
    folder_ = column(kRosterColumns[1]);
  }

  void read_row(const files::CsvRow& row) {
    if (row.unclosed) return refuse(1, "a quote is not closed");
    const std::vector<files::CsvField> fields = trimmed_fields(row);
    const auto at = [&](std::ptrdiff_t column) {
      return column >= 0 && static_cast<std::size_t>(column) < fields.size()
                 ? fields[static_cast<std::size_t>(column)]
                 : files::CsvField{"", 1};
    };
    const files::CsvField student = at(student_);
    const files::CsvField folder = at(folder_).text.empty() ? student : at(folder_);
    if (const std::string mistake = student_mistake(student.text); !mistake.empty())
      return refuse(student.column, mistake);
    if (const std::string mistake = folder_mistake(folder.text); !mistake.empty())
      return refuse(folder.column, mistake);
    if (!students_.insert(student.text).second)
      return refuse(student.column, student.text + " is listed twice");
    if (!folders_.insert(folder.text).second)
      return refuse(folder.column, fmt::format("the folder '{}' is listed twice", folder.text));
    rows_.push_back({student.text, folder.text});
  }

  files::CsvTable table_;
  std::ptrdiff_t student_ = -1;
  std::ptrdiff_t folder_ = -1;
  std::set<std::string> students_;
  std::set<std::string> folders_;
  std::vector<Enrolled> rows_;
  std::vector<std::string> mistakes_;
};

}  // namespace

std::vector<Enrolled> read_roster(const std::filesystem::path& file) {
  const std::string text = files::read_file(file, files::FileKind::kLab);
  return Reader(text, file.string()).read();
}

std::string id_mistake(const std::string& student) {
  return student.empty() ? "" : text::name_mistake(student);
}

}  // namespace tcsim::labs
