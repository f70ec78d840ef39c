#include <fmt/format.h>

#include <algorithm>

#include "sim/plot/chart.hpp"
#include "sim/sweep/plot_data.hpp"
#include "sim/sweep/plots.hpp"

namespace tcsim::sweep {

using plot::Chart;
using plot::Scale;
using plot::series_mark;
using plot::Swatch;

namespace {

/// What decides between configurations: `a` beats `b` if it is as good in both and better in one.
struct Merit {
  double x = 0;
  double y = 0;

  [[nodiscard]] bool beats(const Merit& other) const {
    return x >= other.x && y >= other.y && (x > other.x || y > other.y);
  }
};

Merit merit_of(double x, double y, const PlotRequest& plot) {
  return {larger_is_better(plot.x) ? x : -x, larger_is_better(plot.y) ? y : -y};
}

}  // namespace

std::string pareto_svg(const PlotRequest& plot, const std::vector<Total>& totals) {
  const std::vector<const Total*> shown = chosen(plot, totals);
  std::vector<double> xs;
  std::vector<double> ys;
  for (const Total* total : shown) {
    xs.push_back(metric_of(*total, plot.x));
    ys.push_back(metric_of(*total, plot.y));
  }
  const Scale x_scale =
      Scale::over(*std::ranges::min_element(xs), *std::ranges::max_element(xs), false);
  const Scale y_scale =
      Scale::over(*std::ranges::min_element(ys), *std::ranges::max_element(ys), false);
  const std::string x_title = metric_title(plot.x);
  const std::string y_title = metric_title(plot.y);
  Chart chart(title_of(plot, y_title + " and " + x_title), x_title, y_title);
  chart.horizontal_grid(y_scale);
  chart.vertical_grid(x_scale);
  std::vector<Merit> merits;
  merits.reserve(shown.size());
  for (std::size_t i = 0; i < shown.size(); ++i) merits.push_back(merit_of(xs[i], ys[i], plot));
  std::vector<const Total*> front;
  for (std::size_t i = 0; i < shown.size(); ++i)
    if (std::ranges::none_of(merits, [&](const Merit& other) { return other.beats(merits[i]); }))
      front.push_back(shown[i]);
  std::stable_sort(front.begin(), front.end(), [&](const Total* a, const Total* b) {
    return metric_of(*a, plot.x) < metric_of(*b, plot.x);
  });
  std::string path;
  for (const Total* total : front)
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L",
                        Chart::x(x_scale.position(metric_of(*total, plot.x))),
                        Chart::y(y_scale.position(metric_of(*total, plot.y))));
  chart.add(fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"#555\" stroke-dasharray=\"5 4\"/>\n",
                        path));
  std::size_t index = 0;
  for (const std::string& name : values_in(shown, plot.series)) {
    for (const Total* total : with_value(shown, plot.series, name)) {
      const bool leads = std::find(front.begin(), front.end(), total) != front.end();
      chart.add(series_mark(index, Chart::x(x_scale.position(metric_of(*total, plot.x))),
                            Chart::y(y_scale.position(metric_of(*total, plot.y))), leads ? 5 : 3,
                            label_of(total->parameters)));
    }
    if (!plot.series.empty()) chart.legend(index, plot.series + " " + name, Swatch::kMark);
    ++index;
  }
  return chart.svg();
}

}  // namespace tcsim::sweep
