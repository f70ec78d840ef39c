#pragma once

#include <span>
#include <vector>

#include "sim/report/network_totals.hpp"
#include "sim/stats/metrics.hpp"

namespace tcsim::report {

/// What formulas of network metrics name: sums over the steps, and what was asked for.
struct NetworkFact {
  std::string_view name;
  std::string_view unit;
  std::string_view sentence;
  /// Nothing where it does not apply.
  std::optional<double> (*value)(const NetworkRun& run, const NetworkTotals& totals);
};

/// Every fact and every metric of a network, in the order in which files print them.
std::span<const NetworkFact> network_facts();
std::span<const stats::MetricDefinition> network_metric_definitions();

/// True for the metrics of one of the GPUs that share a network; the others are of all together.
bool is_of_one_gpu(std::string_view metric);

/// The metrics of `run`. Empty for a run that took no time.
std::vector<stats::Metric> network_metrics(const NetworkRun& run, const NetworkTotals& totals);

}  // namespace tcsim::report
