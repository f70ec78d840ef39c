#pragma once

#include <string>
#include <vector>

#include "sim/sweep/metrics.hpp"

namespace tcsim::sweep {

/// Totals with a result that meet the conditions of `plot`.
std::vector<const Total*> chosen(const PlotRequest& plot, const std::vector<Total>& totals);

/// Values of `parameter` in `totals` in their order, each once; "" alone for an empty name.
std::vector<std::string> values_in(const std::vector<const Total*>& totals,
                                   const std::string& parameter);

/// Those of `totals` with `value` for `parameter`; all for an empty name.
std::vector<const Total*> with_value(const std::vector<const Total*>& totals,
                                     const std::string& parameter, const std::string& value);

/// The number of `metric`. Throws std::invalid_argument with the nearest name if `total` lacks it.
double metric_of(const Total& total, const std::string& metric);

/// The title of the plot, or one made of its axes.
std::string title_of(const PlotRequest& plot, const std::string& otherwise);

}  // namespace tcsim::sweep
