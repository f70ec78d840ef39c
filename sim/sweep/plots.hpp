#pragma once

#include <string>
#include <vector>

#include "sim/sweep/metrics.hpp"

namespace tcsim::sweep {

/// A plot of `totals` as a self-contained SVG; configurations without a result are left out.
/// Throws std::invalid_argument if nothing is left to draw, or if configurations that differ in
/// what is drawn would have the same place on a curve, in a map or among the bars.
std::string curves_svg(const PlotRequest& plot, const std::vector<Total>& totals);
std::string heat_map_svg(const PlotRequest& plot, const std::vector<Total>& totals);
/// Bars in the order of the plan, each with the gain over the one before and over the first.
std::string waterfall_svg(const PlotRequest& plot, const std::vector<Total>& totals);
/// Dots of two metrics and the front of those that no other dot beats in both (larger_is_better).
std::string pareto_svg(const PlotRequest& plot, const std::vector<Total>& totals);

/// One line per configuration through upright axes, each a parameter or a metric.
std::string parallel_svg(const PlotRequest& plot, const std::vector<Total>& totals);
/// That of the kind of `plot`.
std::string plot_svg(const PlotRequest& plot, const std::vector<Total>& totals);

struct DrawnPlots {
  std::vector<std::string> files;  ///< relative to the folder
  std::vector<std::string> empty;  ///< "plots: NAME: reason" for those with nothing to draw
};

/// Writes plots/NAME.svg for every plot of the plan, once some configuration has a result.
DrawnPlots draw_plots(const Folder& folder, const std::vector<Total>& totals);

}  // namespace tcsim::sweep
