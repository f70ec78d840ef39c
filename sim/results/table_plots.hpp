#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "sim/plot/bars.hpp"
#include "sim/sweep/metrics.hpp"
#include "sim/sweep/spec.hpp"

namespace tcsim::results {

/// Rows of a table of results: rows.csv of a list of runs, totals.csv of a sweep, or any CSV with
/// a header. Every column is a parameter, every number also a metric; rows whose `status` is not
/// done or whose `complete` is no have no result. GEMMs of equal sides get `n`, the side.
struct ResultTable {
  std::vector<std::string> columns;
  std::vector<std::string> keys;   ///< columns that say what was run, not how it went
  std::vector<sweep::Total> rows;  ///< `configuration` is the line in the file
  std::string file{};              ///< for messages
  int header_line = 1;
  std::map<int, std::vector<int>> places{};  ///< by line, where each field of it stands
};

/// Reads `path`, or the table in the directory `path`. Throws IoError if there is none,
/// config::ConfigError, `file:line:column: reason`, if it is not a table.
ResultTable read_result_table(const std::filesystem::path& path);
/// The table in `text`; `name` is for messages.
ResultTable parse_result_table(const std::string& text, const std::string& name);

/// Throws config::ConfigError, with the nearest name, unless `table` has `column`.
void require_column(const ResultTable& table, const std::string& column);

/// Throws config::ConfigError, `file:line:column: column: reason`, unless every row with a result
/// has a number from `least` to `most` in `column`.
void require_numbers(const ResultTable& table, const std::string& column, double least,
                     double most);

/// Keeps the rows that have `value` in `column`. Throws config::ConfigError for a column that is
/// not there, std::invalid_argument if no row is left.
void keep_rows(ResultTable& table, const std::string& column, const std::string& value);

/// Keeps the rows of square GEMMs, with the side as `n`; of a table without workloads those with a
/// number there.
void keep_square_products(ResultTable& table);

/// The column whose values are curves of square GEMMs, or "": the machine, which gets the number
/// format too ("v100, int8") where the rows with a result have several; the format in a table
/// without machines.
std::string series_of_machines(ResultTable& table);

/// Gives a workload the number of its row of the list, "gemm:64 (row 2)", where several rows with a
/// result have the same values in `columns`, of which `workload` is one. A table without the column
/// `row` stays as it is.
void name_repeats(ResultTable& table, const std::vector<std::string>& columns);

/// TFLOPS against the side of square GEMMs, a curve per machine and number format. Throws
/// std::invalid_argument if no row is one.
sweep::PlotRequest flops_vs_n(ResultTable& table);

/// `value` by the values of `x` and `y`, equal workloads apart by their rows (name_repeats). Throws
/// config::ConfigError for a column that is not there and a value that is no number.
sweep::PlotRequest heat_map(ResultTable& table, const std::string& x, const std::string& y,
                            const std::string& value);

/// How many times as fast each value of `series` is as its first one, a bar per key and a geometric
/// mean, which says so where no key is common; equal workloads apart by their rows (name_repeats).
/// Throws std::invalid_argument if `series` has one value, if rows of a value have the same key, or
/// if no key of any is common.
plot::Bars speed_ups(ResultTable table, const std::string& series);

/// The rows that `plot` draws as bars of its metric, for a terminal.
plot::Bars bars_of(const ResultTable& table, const sweep::PlotRequest& plot);

}  // namespace tcsim::results
