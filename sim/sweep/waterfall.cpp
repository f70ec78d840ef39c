#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "sim/plot/chart.hpp"
#include "sim/sweep/plot_data.hpp"
#include "sim/sweep/plots.hpp"

namespace tcsim::sweep {

using plot::Chart;
using plot::Scale;
using plot::tick_text;

std::string waterfall_svg(const PlotRequest& plot, const std::vector<Total>& totals) {
  const std::vector<const Total*> shown = chosen(plot, totals);
  if (values_in(shown, plot.x).size() != shown.size())
    throw std::invalid_argument(fmt::format(
        "several configurations have the same {}; choose among them with where", plot.x));
  double most = 0;
  for (const Total* total : shown) {
    const double value = metric_of(*total, plot.y);
    if (!(value > 0))
      throw std::invalid_argument(fmt::format("{} is {} for {}; gains need numbers above zero",
                                              plot.y, tick_text(value),
                                              label_of(total->parameters)));
    most = std::max(most, value);
  }
  const Scale scale = Scale::over(0, most, /*from_zero=*/true);
  const std::string y_title = metric_title(plot.y);
  Chart chart(title_of(plot, y_title + ", one change after the other"), "", y_title);
  chart.horizontal_grid(scale);
  const double width = 1.0 / static_cast<double>(shown.size());
  const double first = metric_of(*shown.front(), plot.y);
  double before = first;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const double value = metric_of(*shown[i], plot.y);
    const double left = (static_cast<double>(i) + 0.1) * width;
    const double middle = (static_cast<double>(i) + 0.5) * width;
    const bool gains = larger_is_better(plot.y) ? value > before : value < before;
    const char* colour = i == 0 || value == before ? "#999999" : gains ? "#009e73" : "#d55e00";
    const double top = Chart::y(scale.position(std::max(value, before)));
    const double low = Chart::y(scale.position(std::min(value, before)));
    const double base = Chart::y(scale.position(value));
    chart.add(fmt::format(
        "<rect x=\"{0:.1f}\" y=\"{1:.1f}\" width=\"{2:.1f}\" height=\"{3:.1f}\" "
        "fill=\"#dde4ea\"/>\n"
        "<rect x=\"{0:.1f}\" y=\"{4:.1f}\" width=\"{2:.1f}\" height=\"{5:.1f}\" fill=\"{6}\"/>\n",
        Chart::x(left), base, 0.8 * width * Chart::kWidth, Chart::y(0) - base, top,
        std::max(low - top, 1.5), colour));
    const double against_first = larger_is_better(plot.y) ? value / first : first / value;
    chart.add(
        fmt::format("<text x=\"{0:.1f}\" y=\"{1:.1f}\" text-anchor=\"middle\">{2}</text>\n"
                    "<text x=\"{0:.1f}\" y=\"{3:.1f}\" text-anchor=\"middle\" "
                    "font-size=\"11\">x{4:.2f}</text>\n",
                    Chart::x(middle), top - 5,
                    i == 0 ? tick_text(value) : fmt::format("{:+.1f}%", (value / before - 1) * 100),
                    Chart::y(0) - 6, against_first));
    chart.x_label(middle, value_of(shown[i]->parameters, plot.x), true);
    before = value;
  }
  return chart.svg();
}

}  // namespace tcsim::sweep
