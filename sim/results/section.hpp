#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sim/results/stored_run.hpp"

namespace tcsim::results {

/// A cell of a table: the text that people read, and the number that files carry.
struct Cell {
  std::string text;
  std::optional<double> number{};
  std::string metric{};  ///< the metric or fact of stats.json that `number` is; empty: none
  std::string target{};  ///< file that a page links the text to; empty: none
  double scale = 1.0;    ///< from the unit of `number` to that of the column: 1e3 of J to mJ

  /// `number` in the unit of the column.
  [[nodiscard]] std::optional<double> in_column() const {
    return number ? std::optional(*number * scale) : std::nullopt;
  }
  /// True for the words that stand for a number that there is not.
  [[nodiscard]] bool is_missing() const {
    return !number && (text == "-" || text == "not applicable");
  }
};

struct Table {
  std::string caption;  ///< may be empty
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;  ///< as long as `columns`
  bool folded = false;                  ///< a page shows it on demand
  bool compares = false;  ///< a row holds values of one key, long ones shortened in text

  /// Which columns have a number.
  [[nodiscard]] std::vector<bool> number_columns() const;
};

struct Paragraph {
  std::string text;
};

struct Link {
  std::string text;
  std::string target;
};

/// A picture for pages and its form for terminals.
struct Figure {
  std::string caption;
  std::string svg;
  std::string ascii;
};

/// Data that a page draws as a chart to zoom in; other forms leave it to the figure before it.
struct ZoomChart {
  std::string json;  ///< {"x": {...}, "series": [...]}, as page/report.js reads it
};

struct Section {
  std::string id;  ///< for links and --section
  std::string title;
  std::vector<std::variant<Paragraph, Table, Figure, ZoomChart, Link>> parts;
  bool is_last_in_text = false;  ///< text shows it after the others, because it may be long
};

/// A whole report.
struct Document {
  std::string title;
  std::string run;  ///< name of the directory
  std::vector<Section> sections;
};

/// "1,234,567" with its number.
Cell count_cell(std::int64_t count);
/// `number` times `scale`, which leads to the unit of the column, in `format` of fmt. One that is
/// not finite, as a rate over no time, does not apply.
Cell number_cell(std::optional<double> number, const char* format, double scale = 1.0);
/// The same for the metric or fact `name` of `run`.
Cell metric_cell(const StoredRun& run, const std::string& name, const char* format,
                 double scale = 1.0);
/// A share as "83.1 %", in a column that states no unit.
Cell percent_cell(const StoredRun& run, const std::string& name);
/// Bytes as "33.6 MB" (10^6).
Cell bytes_cell(const StoredRun& run, const std::string& name);
std::string readable_bytes(double bytes);

}  // namespace tcsim::results
