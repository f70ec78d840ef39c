#pragma once

#include <string>
#include <vector>

#include "sim/sweep/metrics.hpp"

namespace tcsim::sweep {

/// report.html of a sweep, one file that needs no other: what was asked, parallel coordinates in
/// which a range drawn on an axis selects configurations, every plot, the table of configurations,
/// what failed, and the SPEC.
std::string report_html(const Folder& folder, const std::vector<Row>& rows,
                        const std::vector<Total>& totals);

}  // namespace tcsim::sweep
