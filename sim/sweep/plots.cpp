#include "sim/sweep/plots.hpp"

#include <filesystem>
#include <stdexcept>

#include "sim/config/error.hpp"

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

std::vector<std::string> draw_plots(const Folder& folder, const std::vector<Total>& totals) {
  std::vector<std::string> files;
  if (folder.plan().plots.empty() || !any_complete(totals)) return files;
  std::filesystem::create_directories(folder.path() / "plots");
  std::vector<std::string> mistakes;
  for (const PlotRequest& plot : folder.plan().plots) {
    try {
      const std::string file = "plots/" + plot.name + ".svg";
      folder.write(file, plot_svg(plot, totals));
      files.push_back(file);
    } catch (const std::invalid_argument& error) {
      mistakes.push_back("plots: " + plot.name + ": " + error.what());
    }
  }
  if (!mistakes.empty()) throw config::ConfigError(mistakes);
  return files;
}

}  // namespace tcsim::sweep
