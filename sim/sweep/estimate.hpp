#pragma once

#include <string>
#include <vector>

#include "sim/sweep/metrics.hpp"

namespace tcsim::sweep {

/// Host seconds of one point and how they grow with its work.
struct Speed {
  double seconds_per_point = 0.15;  ///< start-up
  double flop_per_second = 7.5e9;   ///< simulated; between v100 and a100 in docs/performance.md
  bool measured = false;            ///< from finished points of this folder
};

/// From the points that `rows` have results of; the speed of docs/performance.md if there are none.
Speed measured_speed(const std::vector<Row>& rows);

/// Host seconds of one process for `points`; points whose work is unknown count as start-up alone.
double estimated_seconds(const std::vector<const Point*>& points, const Speed& speed);

/// "12 s", "3 min 20 s", "5 h 10 min".
std::string duration_text(double seconds);

}  // namespace tcsim::sweep
