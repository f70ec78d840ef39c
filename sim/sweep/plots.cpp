#include "sim/sweep/plots.hpp"

#include <filesystem>
#include <stdexcept>

namespace tcsim::sweep {
namespace {

bool any_complete(const std::vector<Total>& totals) {
  for (const Total& total : totals) {
    if (total.complete) return true;
  }
  return false;
}

}  // namespace

std::string plot_svg(const PlotRequest& plot, const std::vector<Total>& totals) {
  if (plot.kind == "curves") return curves_svg(plot, totals);
  if (plot.kind == "heatmap") return heat_map_svg(plot, totals);
  if (plot.kind == "waterfall") return waterfall_svg(plot, totals);
  if (plot.kind == "parallel") return parallel_svg(plot, totals);
  return pareto_svg(plot, totals);
}

DrawnPlots draw_plots(const Folder& folder, const std::vector<Total>& totals) {
  DrawnPlots drawn;
  if (folder.plan().plots.empty() || !any_complete(totals)) return drawn;
  std::filesystem::create_directories(folder.path() / "plots");
  for (const PlotRequest& plot : folder.plan().plots) {
    try {
      const std::string file = "plots/" + plot.name + ".svg";
      folder.write(file, plot_svg(plot, totals));
      drawn.files.push_back(file);
    } catch (const std::invalid_argument& error) {
      drawn.empty.push_back("plots: " + plot.name + ": " + error.what());
    }
  }
  return drawn;
}

}  // namespace tcsim::sweep
