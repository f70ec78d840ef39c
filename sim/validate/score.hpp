#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/validate/measurement.hpp"

namespace tcsim::validate {

/// A tile that was tried for a row.
struct TileTime {
  std::string tile;
  double simulated_us = 0;  ///< as Comparison's
};

/// A measured time and the simulated one.
struct Comparison {
  Measurement measurement;
  double simulated_us = 0;  ///< with the gap and the floor of the source
  std::string tile;         ///< that ran: the chosen one, or whose the measurer named
  std::string bound_by;
  double roofline_us = 0;           ///< at the peak rates of machine and DRAM, likewise
  std::optional<TileTime> named{};  ///< where the source names the tile and there is such a kernel
  std::vector<TileTime> tiles;  ///< tried; the one that ran first; empty: no others were asked for

  /// (simulated - measured) / measured, in percent: positive where the model is too slow.
  [[nodiscard]] double error_percent() const { return error_percent(simulated_us); }
  [[nodiscard]] double error_percent(double us) const {
    return 100 * (us - measurement.time_us) / measurement.time_us;
  }
  /// The tile that simulates fastest, and the one whose time is nearest to the measured one. Both
  /// require tiles.
  [[nodiscard]] const TileTime& fastest() const;
  [[nodiscard]] const TileTime& nearest() const;
};

/// Errors of one group of rows with other tiles than the chooser's, in percent.
struct TileScore {
  double tried = 0;         ///< tiles per row, on average
  double fastest_mape = 0;  ///< mean of the absolute errors with the tile that simulates fastest
  double nearest_mape =
      0;  ///< with the nearest one: the error that no choice among the tiles removes
};

/// Errors of those rows of a group whose kernel is named, in percent.
struct NamedScore {
  int rows = 0;
  double mape = 0;         ///< mean of the absolute errors with the named kernels
  double chosen_mape = 0;  ///< of the same rows with the chosen ones
};

/// Errors of one group of rows, in percent.
struct GroupScore {
  std::string gpu;
  std::string op;
  std::string dtype;
  std::string unit;  ///< tensor, cuda-core
  std::string size_class;
  int rows = 0;
  double mape = 0;  ///< mean of the absolute errors
  double median_ape = 0;
  double bias = 0;  ///< mean of the signed errors
  /// Correlation of the logarithms of the times; none for fewer than three rows, or equal times.
  std::optional<double> pearson_log;
  double p90_ape = 0;               ///< nine of ten rows are no worse
  std::optional<NamedScore> named;  ///< if a row has a named kernel
  std::optional<TileScore> tiles;   ///< if tiles were tried for all of the rows
};

/// One score per GPU, operation, type, unit and size class, in that order of words.
std::vector<GroupScore> score_groups(const std::vector<Comparison>& rows);

/// The score of all rows as one group, its words "all". Requires at least one row.
GroupScore score_total(const std::vector<Comparison>& rows);

nlohmann::ordered_json score_json(const GroupScore& score);

}  // namespace tcsim::validate
