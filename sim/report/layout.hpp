#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tcsim::report {

inline constexpr double kMicrosecondsPerSecond = 1e6;

/// "2,018,060".
std::string with_thousands(std::int64_t value);

/// "    title                text" and a line feed: a line of a section after the first report.
std::string indented_line(std::string_view title, std::string_view text);

/// Every line of `table` two columns to the right.
std::string indented(const std::string& table);

/// Time in the unit that reads best: "8.21 us", "1.319 ms", "2.50 s".
std::string readable_time(double microseconds);

/// `value` with `decimals` digits behind the point, or with more where only they leave two digits
/// that count: "88.9", "0.028".
std::string readable_number(double value, int decimals);

/// `width` characters, filled from the left in proportion to `fraction`, which is cut to [0, 1].
std::string bar(double fraction, int width);

/// `words` joined by two spaces, broken into lines of at most `width` characters; every line after
/// the first starts with `indent` spaces.
std::string wrap(const std::vector<std::string>& words, int indent, int width);

/// Rows of cells under column names; every row has as many cells as there are columns.
struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

/// Where cells stand in their column: all to the left, or columns of numbers (cells that start with
/// a digit, or "-") to the right.
enum class Align : std::uint8_t { kLeft, kNumbersRight };

/// Columns aligned under their names. Lines do not end in spaces.
std::string aligned_table(const Table& table, Align align = Align::kNumbersRight);

/// The same as a Markdown table.
std::string markdown_table(const Table& table, Align align = Align::kNumbersRight);

}  // namespace tcsim::report
