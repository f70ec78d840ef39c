#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tcsim::report {

enum class RowStatus : std::uint8_t { kDone, kStopped, kFailed, kNotRun };

/// One workload of a list on one machine, or a network on one of several.
// NOLINTNEXTLINE(bugprone-exception-escape): the JSON library's move constructor asserts
struct TableRow {
  int number = 0;  ///< line of the list, from 1; the same on every machine
  std::string machine;
  std::string workload;  ///< words that run this row alone
  std::string title;     ///< "5124x700x2048 fp16->fp32 TN"; of a network that ran, its subject
  RowStatus status = RowStatus::kNotRun;
  std::string reason;             ///< why it is not done; empty if done
  std::string directory;          ///< of its own files inside the run directory, "rows/0003-a100"
  nlohmann::ordered_json result;  ///< as run_json prints it; null where the row produced none
};

/// "done", "stopped", "failed", "not run".
std::string_view status_text(RowStatus status);

/// True for the rows of a network, which has rates of samples and tokens and no tile.
bool are_of_network(const std::vector<TableRow>& rows);
/// How many GPUs share each workload of `rows`; figures of operations are those of one.
int gpus_of(const std::vector<TableRow>& rows);

/// A column of tables of rows, between workload and bottleneck.
struct RowFigure {
  std::string title;
  std::string name;  ///< in the result; empty: the tile
  int decimals = 0;
  double scale = 1;

  /// Nothing where it does not apply, and for the tile.
  [[nodiscard]] std::optional<double> number(const nlohmann::ordered_json& result) const;
  /// "-" where it does not apply.
  [[nodiscard]] std::string text(const nlohmann::ordered_json& result) const;
};
std::vector<RowFigure> row_figures(const std::vector<TableRow>& rows);

/// Whose the rates are and how much of the time a model predicts; empty for single GPUs.
std::string collective_note(const std::vector<TableRow>& rows);

/// One line per row: machine, workload, its figures and what binds; or the reason it failed.
std::string rows_text(const std::vector<TableRow>& rows);
std::string rows_markdown(const std::vector<TableRow>& rows);

/// One record per row with a header, units in the column names. Rows without a result have no
/// numbers; those of a stopped run are of what it did. Records of a network end with how it was
/// asked to run and its rates.
std::string rows_csv(const std::vector<TableRow>& rows);

/// A value of a result as a field of a CSV file; null becomes an empty one.
std::string csv_value(const nlohmann::ordered_json& value);

/// "l2.bytes=3145728 l2.ways=8", what --set changed of a machine, as a field of a CSV file.
std::string overrides_field(const std::vector<std::string>& overrides);

/// An array with machine, workload, status, reason and result of every row.
nlohmann::ordered_json rows_json(const std::vector<TableRow>& rows);

/// Per machine: rows done, total time, overall rate, median and best share of peak; and, for
/// several machines, the geometric mean of how much faster each is than the first on the rows that
/// both finished. Then the collective_note, if there is one.
std::string summary_text(const std::vector<TableRow>& rows);

}  // namespace tcsim::report
