#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "scripts/gpu/common/errors.hpp"

namespace tcsim::measure {

/// A CSV cell: quoted if a comma, quote or line end is in it.
inline std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char character : text) {
    if (character == '"') quoted += '"';
    quoted += character;
  }
  return quoted + '"';
}

inline std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) line += (line.empty() ? "" : ",") + csv_cell(cell);
  return line + '\n';
}

/// A table that grows row by row; each measurement is on disk before the next one starts.
/// Rows are appended to an existing file. The first column is never empty. Throws ProgramError if
/// it cannot write.
class CsvFile {
 public:
  CsvFile(const std::string& path, const std::vector<std::string>& header)
      : path_(path), stream_(path, std::ios::app) {
    stream_.seekp(0, std::ios::end);
    if (stream_ && stream_.tellp() == 0) row(header);
    if (!stream_) throw ProgramError(kUnreadable, path_ + ": cannot write");
  }

  void row(const std::vector<std::string>& cells) { rows({cells}); }

  void rows(const std::vector<std::vector<std::string>>& all) {
    for (const std::vector<std::string>& cells : all) stream_ << csv_line(cells);
    stream_.flush();
    if (!stream_) throw ProgramError(kUnreadable, path_ + ": cannot write");
  }

 private:
  std::string path_;
  std::ofstream stream_;
};

}  // namespace tcsim::measure
