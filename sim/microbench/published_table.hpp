#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/microbench/test_words.hpp"

namespace tcsim::microbench {

/// One published figure and what to run for it.
struct PublishedRow {
  std::string suite;  ///< mma, alu, shared, l1, l2, dram, sync, launch
  std::string name;   ///< the test as written
  TestWords test;
  double published = 0;
  std::string unit;
  std::vector<std::string>
      overrides;          ///< key.path=value where the published board differs from the machine
  std::string set_place;  ///< place of `overrides`: file:line:column
  std::string source;     ///< id of docs/machines.md, and what was measured
};

/// True for a row that shows a number of the machine file directly: a latency of one chain of one
/// warp, of a chase or of an empty kernel. All other measurements (rates, conflicts, what several
/// warps or CTAs share) depend on many such numbers and are predictions.
bool is_parameter(const PublishedRow& row);

/// The suites in the order in which they are printed.
const std::vector<std::string_view>& suites();

/// Reads a table: CSV with the columns suite, test, published, unit, set, source; blank lines and
/// lines that start with # are skipped. Throws ConfigError with every mistake as file:line:column:
/// column: reason.
std::vector<PublishedRow> read_published_table(std::string_view text, const std::string& file_name);

/// The file with the published figures of `machine`: microbench_<name>.csv in $TCSIM_VALIDATION if
/// that is set, otherwise in the source tree, otherwise installed with the program. Throws
/// ConfigError if there is none.
std::string published_table_file(const std::string& machine);

}  // namespace tcsim::microbench
