#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string_view>

#include "sim/plot/chart.hpp"
#include "sim/sweep/plot_data.hpp"
#include "sim/sweep/plots.hpp"
#include "sim/sweep/positions.hpp"

namespace tcsim::sweep {

using plot::Chart;
using plot::Scale;
using plot::series_mark;
using plot::series_stroke;
using plot::Swatch;
using plot::tick_text;

namespace {

/// A curve has one value at each x.
void refuse_two_values(const PlotRequest& plot, const std::vector<const Total*>& members) {
  std::map<std::string_view, double> values;
  for (const Total* total : members) {
    const std::string& x = value_of(total->parameters, plot.x);
    const double value = metric_of(*total, plot.y);
    if (values.emplace(x, value).first->second == value) continue;
    const std::string series =
        plot.series.empty()
            ? ""
            : fmt::format(" and {} {}", plot.series, value_of(total->parameters, plot.series));
    throw std::invalid_argument(
        fmt::format("several configurations have {} {}{}; tell them apart with series, or choose "
                    "among them with where (tcsim plot: --where COLUMN=VALUE)",
                    plot.x, x, series));
  }
}

void draw_series(Chart& chart, const PlotRequest& plot, std::vector<const Total*> members,
                 const Positions& places, const Scale& scale, std::size_t index) {
  refuse_two_values(plot, members);
  if (places.numeric()) {
    std::stable_sort(members.begin(), members.end(), [&](const Total* a, const Total* b) {
      return places.of(value_of(a->parameters, plot.x)) <
             places.of(value_of(b->parameters, plot.x));
    });
  }
  std::string path;
  std::string dots;
  for (const Total* total : members) {
    const double value = metric_of(*total, plot.y);
    const double x = Chart::x(places.of(value_of(total->parameters, plot.x)));
    const double y = Chart::y(scale.position(value));
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x, y);
    dots += series_mark(index, x, y, 3.5, label_of(total->parameters) + ": " + tick_text(value));
  }
  chart.add(fmt::format("<path d=\"{}\" fill=\"none\" {} stroke-width=\"1.8\"/>\n{}", path,
                        series_stroke(index), dots));
}

}  // namespace

std::string curves_svg(const PlotRequest& plot, const std::vector<Total>& totals) {
  const std::vector<const Total*> shown = chosen(plot, totals);
  const Positions places(values_in(shown, plot.x), /*from_zero=*/true);
  double least = metric_of(*shown.front(), plot.y);
  double most = least;
  for (const Total* total : shown) {
    least = std::min(least, metric_of(*total, plot.y));
    most = std::max(most, metric_of(*total, plot.y));
  }
  const Scale scale = Scale::over(least, most, /*from_zero=*/true);
  const std::string y_title = metric_title(plot.y);
  Chart chart(title_of(plot, y_title + " against " + plot.x), plot.x, y_title);
  chart.horizontal_grid(scale);
  if (places.numeric()) {
    chart.vertical_grid(places.scale());
  } else {
    for (const std::string& value : places.values())
      chart.x_label(places.of(value), value, /*slanted=*/true);
  }
  std::size_t index = 0;
  for (const std::string& name : values_in(shown, plot.series)) {
    draw_series(chart, plot, with_value(shown, plot.series, name), places, scale, index);
    if (!plot.series.empty()) chart.legend(index, plot.series + " " + name, Swatch::kLine);
    ++index;
  }
  return chart.svg();
}

}  // namespace tcsim::sweep
