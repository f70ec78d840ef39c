#pragma once

#include <string>
#include <vector>

#include "sim/sweep/metrics.hpp"

namespace tcsim::sweep {

/// Measured over expected time of the points that have results in `rows`; 1 if there are none.
double measured_ratio(const std::vector<Row>& rows);

/// The expected time and memory of `points`. Those with equal keys are simulated, and counted,
/// once. A point that cannot run has no forecast.
struct Estimate {
  double seconds = 0;  ///< of one process, as the options of the sweep ask
  double sampled_s = 0;
  double memory_mib = 0;     ///< of the largest point
  int without_forecast = 0;  ///< points that the sums lack
};
Estimate estimate_of(const std::vector<const Point*>& points);

/// "; 3 points have no forecast", or nothing.
std::string without_forecast_text(const Estimate& estimate);

/// "12 s", "3 min 20 s", "5 h 10 min".
std::string duration_text(double seconds);

}  // namespace tcsim::sweep
