#pragma once

#include <string>
#include <vector>

#include "sim/sweep/metrics.hpp"

namespace tcsim::sweep {

/// What the points that `rows` have results of took, over what was expected of them; 1 if there are
/// none.
double measured_ratio(const std::vector<Row>& rows);

/// What `points` are expected to take and need. What cannot run is not foretold.
struct Estimate {
  double seconds = 0;  ///< of one process, as the options of the sweep ask
  double sampled_s = 0;
  double memory_mib = 0;  ///< of the largest point
  int not_foretold = 0;   ///< points that the sums lack
};
Estimate estimate_of(const std::vector<const Point*>& points);

/// " and the time of 3 points that are not foretold", or nothing.
std::string not_foretold_text(const Estimate& estimate);

/// "12 s", "3 min 20 s", "5 h 10 min".
std::string duration_text(double seconds);

}  // namespace tcsim::sweep
