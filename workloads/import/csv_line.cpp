#include "workloads/import/csv_line.hpp"

namespace tcsim::workload {

std::vector<CsvField> split_csv_line(std::string_view line, bool& unclosed) {
  std::vector<CsvField> fields{{{}, 1}};
  bool in_quotes = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    std::string& text = fields.back().text;
    const bool at_start = fields.back().column == static_cast<int>(i) + 1;
    if (in_quotes && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      text += '"';
      ++i;
    } else if (c == '"' && (in_quotes || at_start)) {
      in_quotes = !in_quotes;
      if (at_start) ++fields.back().column;
    } else if (c == ',' && !in_quotes && fields.size() < kMostFields) {
      fields.push_back({{}, static_cast<int>(i) + 2});
    } else {
      text += c;
    }
  }
  unclosed = in_quotes;
  return fields;
}

}  // namespace tcsim::workload
