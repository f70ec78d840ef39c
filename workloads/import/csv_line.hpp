#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tcsim::workload {

/// One field of a CSV line. Quotes are removed from `text`; `column` is where it starts in the
/// line, from 1.
struct CsvField {
  std::string text;
  int column;
};

/// Fields that a line is cut into at most; its rest stays in the last one.
constexpr std::size_t kMostFields = 10'000;

/// The fields of one line (RFC 4180, without line breaks inside quotes). `unclosed` tells whether a
/// quote is still open at the end.
std::vector<CsvField> split_csv_line(std::string_view line, bool& unclosed);

}  // namespace tcsim::workload
