#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tcsim::files {

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

/// One line of a table.
struct CsvRow {
  std::string_view text;         ///< as it stands, without its end; of the table's text
  std::vector<CsvField> fields;  ///< of a blank line one, which is empty
  bool unclosed = false;         ///< a quote is
  bool has_return = false;       ///< it ended in CRLF
};

/// Cuts a text into lines and these into fields. What a header must be and which lines hold nothing
/// is its reader's to say. The text must outlive it.
class CsvTable {
 public:
  /// Leaves out a byte-order mark. `file` is for messages.
  CsvTable(std::string_view text, std::string file);

  /// The next line, blank ones too; false at the end.
  bool next(CsvRow& row);

  /// Of the last line that `next` gave, from 1; 1 before there is any.
  [[nodiscard]] int line() const { return std::max(line_, 1); }
  /// `file:line:column`, of that line.
  [[nodiscard]] std::string place(int column) const;
  /// `file:line:column: what: reason`, of that line.
  [[nodiscard]] std::string mistake(int column, std::string_view what,
                                    std::string_view reason) const;
  /// What is wrong with `header`, the line that `next` gave last, about `column`: another column,
  /// none of the `known`, looks like a misspelt one, or there is none and it `is_needed`. Empty if
  /// nothing is.
  [[nodiscard]] std::string column_mistake(const std::vector<CsvField>& header,
                                           std::string_view column,
                                           std::span<const std::string_view> known,
                                           bool is_needed = true) const;

 private:
  std::string_view rest_;
  std::string file_;
  int line_ = 0;
};

}  // namespace tcsim::files
