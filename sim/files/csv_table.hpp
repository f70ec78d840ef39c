#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tcsim::files {

/// One field of a CSV line. `text` is without quotes; `column` is where the field starts in the
/// line, from 1.
struct CsvField {
  std::string text;
  int column;
  bool has_text_behind_quote = false;  ///< more than blanks: "1"2
};

/// Most fields into which a line is cut; the rest of the line stays in the last field.
constexpr std::size_t kMostFields = 10'000;

/// The fields of one line (RFC 4180, without line breaks inside quotes). `unclosed` tells whether a
/// quote is still open at the end.
std::vector<CsvField> split_csv_line(std::string_view line, bool& unclosed);

/// One line of a table.
struct CsvRow {
  std::string_view text;         ///< as written, without its line end; points into the table's text
  std::vector<CsvField> fields;  ///< a blank line has one, which is empty
  bool unclosed = false;         ///< a quote is unclosed
  bool has_return = false;       ///< the line ended in CRLF
};

/// What is wrong with the quotes of a line.
struct QuoteMistake {
  std::size_t field;  ///< index in CsvRow::fields
  std::string_view reason;
};
/// The first such mistake of `row`; nothing if its quotes are sound.
std::optional<QuoteMistake> quote_mistake(const CsvRow& row);

/// `line` with commas in the place of semicolons and tabs, which some spreadsheets put between
/// fields.
std::string with_commas(std::string_view line);
/// The reason to refuse a table of which only this is a sound line.
inline constexpr std::string_view kUseCommas =
    "fields must be separated by commas; save it as CSV with commas";

/// Cuts a text into lines and the lines into fields. The reader decides what a header must be and
/// which lines are empty. The text must outlive the table.
class CsvTable {
 public:
  /// Skips a byte-order mark. `file` is for messages.
  CsvTable(std::string_view text, std::string file);

  /// Gets the next line, including blank ones; false at the end.
  bool next(CsvRow& row);

  /// Number of the last line that `next` returned, from 1; 1 before the first.
  [[nodiscard]] int line() const { return std::max(line_, 1); }
  /// `file:line:column` in that line.
  [[nodiscard]] std::string place(int column) const;
  /// `file:line:column: what: reason` in that line.
  [[nodiscard]] std::string mistake(int column, std::string_view what,
                                    std::string_view reason) const;
  /// What is wrong with `header`, the line that `next` returned last, about `column`: a column that
  /// is not one of the `known` looks like a misspelt or shortened `column`, or the column is
  /// missing and `is_needed`. Empty if nothing is wrong.
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
