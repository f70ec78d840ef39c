#include "sim/validate/scatter.hpp"

#include <fmt/format.h>

#include <map>

#include "sim/plot/scatter.hpp"

namespace tcsim::validate {

std::string scatter_svg(const std::vector<Comparison>& rows) {
  std::map<std::string, std::vector<const Comparison*>> series;
  for (const Comparison& row : rows)
    series[row.measurement.gpu + " " + row.measurement.dtype].push_back(&row);
  plot::Scatter scatter{
      .title = fmt::format("Simulated over measured time, {} kernels, band of 10 %", rows.size()),
      .x_name = "measured time, us",
      .y_name = "simulated time, us",
      .band = 0.1,
      .dots = {},
      .legend = {}};
  for (const auto& [name, members] : series) {
    for (const Comparison* row : members) {
      const Measurement& m = row->measurement;
      scatter.dots.push_back(
          {m.time_us, row->simulated_us, scatter.legend.size(),
           fmt::format("{} on {}: measured {:.4g} us, simulated {:.4g} us ({:+.1f} %)", m.workload,
                       m.gpu, m.time_us, row->simulated_us, row->error_percent())});
    }
    scatter.legend.push_back(fmt::format("{} ({})", name, members.size()));
  }
  return plot::scatter_svg(scatter, plot::Theme::kFile);
}

}  // namespace tcsim::validate
