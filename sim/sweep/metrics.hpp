#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/sweep/folder.hpp"

namespace tcsim::sweep {

/// A number or a word of a result, by its path: "time_us", "memory.l2_hit_rate", "bound_by".
struct MetricValue {
  std::string name;
  std::string text;  ///< shortest decimal form of a number
  std::optional<double> number;
};

/// What tcsim run printed for one point, without values that depend on the host or repeat the
/// parameters. Numbers that do not apply are left out.
std::vector<MetricValue> metrics_of(const nlohmann::ordered_json& result);

/// Why no result has a number `name`, with the nearest that one may have; "" if one may.
std::string metric_mistake(const std::string& name);

/// Whether the sums over the parts of a workload have `metric` too (Total).
bool is_added_up(std::string_view metric);

/// Whether more of `metric`, a path as that of MetricValue, is better: true for rates,
/// utilisations, reuse and precision, false for all others.
bool larger_is_better(std::string_view metric);

/// `metric`, a path as that of MetricValue, in words for people, with its unit: "time us",
/// "TFLOPS", "energy J", "values error norm bits".
std::string metric_title(std::string_view metric);

/// One row of a sweep.
struct Row {
  const Point* point;
  PointRecord record;
  std::vector<MetricValue> metrics;
};

/// Every point with what is known of it, in the order of the plan.
std::vector<Row> rows_of(const Folder& folder);

/// Parameters with the metrics of all parts of the workload together.
struct Total {
  int configuration = 0;
  std::string name;
  Parameters parameters;
  bool complete = false;  ///< every part has a result
  std::string reason;     ///< of the first part that has none
  std::vector<MetricValue> metrics;

  [[nodiscard]] std::optional<double> number(std::string_view metric) const;
  [[nodiscard]] std::string text(std::string_view metric) const;  ///< "" if there is none
};

/// One total per configuration. A workload of one run keeps every metric; of several runs one
/// after the other, times, operations, bytes and energies are added up and rates follow from
/// the sums.
std::vector<Total> totals_of(const std::vector<Row>& rows);

}  // namespace tcsim::sweep
