#include "sim/labs/roster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "sim/config/error.hpp"
#include "sim/files/read_file.hpp"
#include "sim/files/utf8.hpp"
#include "sim/text/name.hpp"
#include "sim/text/outgoing.hpp"
#include "sim/text/trimmed.hpp"
#include "workloads/import/csv_line.hpp"

namespace tcsim::labs {
namespace {

std::vector<std::string> fields_of(const std::string& line) {
  bool unclosed = false;
  std::vector<std::string> fields;
  for (const workload::CsvField& field : workload::split_csv_line(line, unclosed))
    fields.push_back(text::trimmed(field.text));
  return unclosed ? std::vector<std::string>{} : fields;
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
  explicit Reader(std::string file) : file_(std::move(file)) {}

  void read(const std::string& text) {
    std::istringstream lines(text);
    std::string line;
    std::getline(lines, line);
    read_header(line);
    for (number_ = 2; std::getline(lines, line); ++number_)
      if (!text::trimmed(line).empty() && student_ >= 0) read_row(fields_of(line));
    if (mistakes_.empty() && rows_.empty()) refuse("no student stands in it");
  }

  std::vector<Enrolled> take() {
    if (!mistakes_.empty()) throw config::ConfigError(mistakes_);
    return std::move(rows_);
  }

 private:
  void refuse(const std::string& reason) {
    mistakes_.push_back(fmt::format("{}:{}:1: {}", file_, number_, reason));
  }

  void read_header(const std::string& line) {
    const std::vector<std::string> names = fields_of(line);
    const auto column = [&](const char* name) {
      const auto found = std::ranges::find(names, name);
      return found == names.end() ? std::ptrdiff_t{-1} : found - names.begin();
    };
    student_ = column("student");
    folder_ = column("folder");
    if (student_ < 0) refuse("no column is called student");
  }

  void read_row(const std::vector<std::string>& fields) {
    const auto at = [&](std::ptrdiff_t column) {
      return column >= 0 && static_cast<std::size_t>(column) < fields.size()
                 ? fields[static_cast<std::size_t>(column)]
                 : std::string();
    };
    Enrolled row{at(student_), folder_ < 0 ? at(student_) : at(folder_)};
    for (const std::string& mistake : {text::name_mistake(row.student), folder_mistake(row.folder)})
      if (!mistake.empty()) return refuse(mistake);
    if (!students_.insert(row.student).second) return refuse(row.student + " stands there twice");
    if (!folders_.insert(row.folder).second)
      return refuse(fmt::format("the folder '{}' stands there twice", row.folder));
    rows_.push_back(std::move(row));
  }

  std::string file_;
  int number_ = 1;
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
  Reader reader(file.string());
  reader.read(std::string(files::without_byte_order_mark(text)));
  return reader.take();
}

std::string id_mistake(const std::string& student) {
  return student.empty() ? "" : text::name_mistake(student);
}

}  // namespace tcsim::labs
