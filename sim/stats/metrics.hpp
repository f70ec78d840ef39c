#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/stats/values.hpp"

namespace tcsim::stats {

/// A derived number: never counted, always computed from counters and facts when it is printed.
struct MetricDefinition {
  std::string_view name;
  std::string_view unit;  ///< "1" for a ratio
  std::string_view sentence;
  std::string_view formula;  ///< over Values and the metrics earlier in the table
};

struct Metric {
  MetricDefinition definition;
  std::optional<double> value;  ///< nothing: not applicable to this run
  double half_width = 0;        ///< of its 95 % interval, if part of it is estimated
};

/// Every derived metric, in the order in which files print them.
std::span<const MetricDefinition> metric_definitions();

/// All metrics of the table. Adds each result to `values` under its name, so that later formulas
/// can use it. Throws InternalError for a formula that uses a counter which the tree lacks.
std::vector<Metric> evaluate_metrics(Values& values);

/// Sets the half-widths of `metrics`, which follow from `values` (without metrics), given those of
/// some of the values by name: the sum of what each of them changes.
void set_half_widths(std::vector<Metric>& metrics, const Values& values,
                     const std::map<std::string, double>& half_widths);

}  // namespace tcsim::stats
