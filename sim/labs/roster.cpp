#include "sim/labs/roster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sim/config/error.hpp"
#include "sim/files/csv_table.hpp"
#include "sim/files/read_file.hpp"
#include "sim/text/name.hpp"
#include "sim/text/outgoing.hpp"
#include "sim/text/trimmed.hpp"

namespace tcsim::labs {
namespace {

std::vector<std::string> fields_of(const files::CsvRow& row) {
  std::vector<std::string> fields;
  for (const files::CsvField& field : row.fields) fields.push_back(text::trimmed(field.text));
  return fields;
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
    while (student_ >= 0 && table_.next(row))
      if (!text::trimmed(row.text).empty()) read_row(row);
    if (mistakes_.empty() && rows_.empty()) refuse("it lists no student");
    if (!mistakes_.empty()) throw config::ConfigError(mistakes_);
    return std::move(rows_);
  }

 private:
  void refuse(const std::string& reason) {
    mistakes_.push_back(fmt::format("{}: {}", table_.place(1), reason));
  }

  void read_header(const files::CsvRow& row) {
    if (row.unclosed) return refuse("a quote is not closed");
    const std::vector<std::string> names = fields_of(row);
    const auto column = [&](const char* name) {
      const auto found = std::ranges::find(names, name);
      return found == names.end() ? std::ptrdiff_t{-1} : found - names.begin();
    };
    student_ = column("student");
    folder_ = column("folder");
    if (student_ < 0) refuse("no column is called student");
  }

  void read_row(const files::CsvRow& line) {
    if (line.unclosed) return refuse("a quote is not closed");
    const std::vector<std::string> fields = fields_of(line);
    const auto at = [&](std::ptrdiff_t column) {
      return column >= 0 && static_cast<std::size_t>(column) < fields.size()
                 ? fields[static_cast<std::size_t>(column)]
                 : std::string();
    };
    Enrolled row{at(student_), at(folder_)};
    if (row.folder.empty()) row.folder = row.student;
    for (const std::string& mistake : {text::name_mistake(row.student), folder_mistake(row.folder)})
      if (!mistake.empty()) return refuse(mistake);
    if (!students_.insert(row.student).second) return refuse(row.student + " is listed twice");
    if (!folders_.insert(row.folder).second)
      return refuse(fmt::format("the folder '{}' is listed twice", row.folder));
    rows_.push_back(std::move(row));
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
