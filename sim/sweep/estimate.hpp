#pragma once

#include <string>
#include <vector>

#include "sim/sweep/metrics.hpp"

namespace tcsim::sweep {

/// What the points that `rows` have results of took, over what was expected of them; 1 if there are
/// none.
double measured_ratio(const std::vector<Row>& rows);

/// What `points` are expected to take and need; those that cannot run take nothing.
struct Estimate {
  double seconds = 0;  ///< of one process, as the options of the sweep ask
  double sampled_s = 0;
  double memory_mib = 0;  ///< of the largest point
};
Estimate estimate_of(const std::vector<const Point*>& points);

/// "12 s", "3 min 20 s", "5 h 10 min".
std::string duration_text(double seconds);

}  // namespace tcsim::sweep
