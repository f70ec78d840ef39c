#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/validate/measurement.hpp"

namespace tcsim::validate {

/// A measured time beside the simulated one.
struct Comparison {
  Measurement measurement;
  double simulated_us = 0;  ///< with the gap and the floor of the source
  std::string tile;         ///< that ran
  std::string bound_by;

  /// (simulated - measured) / measured, in percent: positive where the model is too slow.
  [[nodiscard]] double error_percent() const {
    return 100 * (simulated_us - measurement.time_us) / measurement.time_us;
  }
};

/// Errors of one group of rows, in percent.
struct GroupScore {
  std::string gpu;
  std::string op;
  std::string dtype;
  std::string size_class;
  int rows = 0;
  double mape = 0;  ///< mean of the absolute errors
  double median_ape = 0;
  double bias = 0;  ///< mean of the signed errors
  double pearson_log =
      0;               ///< correlation of the logarithms of the times; 1 for fewer than two rows
  double p90_ape = 0;  ///< nine of ten rows are no worse
};

/// One score per GPU, operation, type and size class, in that order of words.
std::vector<GroupScore> score_groups(const std::vector<Comparison>& rows);

/// The score of all rows as one group, its words "all". Requires at least one row.
GroupScore score_total(const std::vector<Comparison>& rows);

nlohmann::ordered_json score_json(const GroupScore& score);

}  // namespace tcsim::validate
