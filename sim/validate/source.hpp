#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/config/mistakes.hpp"

namespace tcsim::validate {

/// Which lines the L2 holds when a measured kernel starts.
enum class L2State : std::uint8_t {
  kCold,
  kWarm,         ///< the same kernel ran before
  kRotating,     ///< kernels with other copies of operand B ran before
  kOverwritten,  ///< a kernel that wrote more than the L2 holds ran before
};

/// How times were taken. The time to compare with is max(kernel + gap_us, floor_us), kernel without
/// the machine's launch overhead. Default: kernels back to back, warm L2, no floor, at the
/// clock of the power limit.
struct SourceTraits {
  /// Between two kernels as the source measures, microseconds; nothing: the machine's launch
  /// overhead.
  std::optional<double> gap_us;
  double floor_us = 0;  ///< no measured time is shorter: the host cannot launch faster
  L2State l2 = L2State::kWarm;
  /// Kernels that take longer ran at the clock that the board's power limit allows, microseconds;
  /// shorter ones ended before the limit could act.
  double power_limited_above_us = 0;
  /// Libraries asked before the machine's own: the kernels that were timed are theirs.
  std::vector<std::string> libraries;
};

/// How a program calls a library for what its table prints.
enum class CallRule : std::uint8_t {
  kAsPrinted,
  kPadded,  ///< padded_call; of products alone
};

/// Rows of a source that were taken differently from the others, or whose columns are incomplete.
struct RowRule {
  std::string gpu;                 ///< as the table names it; empty: any
  std::string operation;           ///< as in Measurement; empty: any
  std::string dtype;               ///< of operands, likewise
  std::string acc;                 ///< of sums, likewise
  std::vector<std::string> notes;  ///< "l2=cold", "graph": all must be among the row's notes
  SourceTraits traits;             ///< in place of the source's
  CallRule call = CallRule::kAsPrinted;
  std::string not_scored;  ///< why its time cannot be compared; empty: it can
  /// Put into the words of the row's workload, key and value; of one `operation`.
  std::vector<std::pair<std::string, std::string>> words;
  std::string file;     ///< where the rule stands
  config::Place place;  ///< likewise
};

/// The entry of one source in a file.
struct Source {
  SourceTraits traits;
  std::vector<RowRule> rows;  ///< the first that fits a row applies
};

using Sources = std::map<std::string, Source, std::less<>>;

/// Reads the sources of the text of `file` (docs/measure-your-gpu.md). Throws config::ConfigError
/// with every mistake.
Sources read_sources_text(const std::string& file, const std::string& text);

/// The sources of the measurement table `table`: of `sources.yaml` in its folder, if there is one,
/// and those of the project that it does not name. Throws as read_sources_text, IoError if a file
/// cannot be read.
Sources read_sources(const std::string& table);

}  // namespace tcsim::validate
