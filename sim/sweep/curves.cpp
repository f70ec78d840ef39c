#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "sim/plot/chart.hpp"
#include "sim/sweep/plot_data.hpp"
#include "sim/sweep/plots.hpp"
#include "sim/text/number.hpp"
#include "sim/text/outgoing.hpp"

namespace tcsim::sweep {

using plot::Chart;
using plot::Scale;
using plot::series_colour;
using plot::tick_text;

namespace {

/// Positions of values: in proportion for numbers, evenly for words.
class Places {
 public:
  explicit Places(const std::vector<std::string>& values) : values_(values) {
    numeric_ = std::all_of(values.begin(), values.end(), [](const std::string& value) {
      return text::finite_number_of(value).has_value();
    });
    if (!numeric_) return;
    std::vector<double> numbers;
    for (const std::string& value : values) numbers.push_back(*text::finite_number_of(value));
    const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
    scale_ = Scale::over(*least, *most, /*from_zero=*/*least >= 0);
  }

  void draw(Chart& chart) const {
    if (numeric_) {
      chart.vertical_grid(scale_);
      return;
    }
    for (const std::string& value : values_) chart.x_label(of(value), value, true);
  }

  [[nodiscard]] double of(const std::string& value) const {
    if (numeric_) return scale_.position(*text::finite_number_of(value));
    const auto index = std::find(values_.begin(), values_.end(), value) - values_.begin();
    return (static_cast<double>(index) + 0.5) / static_cast<double>(values_.size());
  }

  [[nodiscard]] bool numeric() const { return numeric_; }

 private:
  const std::vector<std::string>& values_;
  bool numeric_ = false;
  Scale scale_;
};

void draw_series(Chart& chart, const PlotRequest& plot, std::vector<const Total*> members,
                 const Places& places, const Scale& scale, std::size_t index) {
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
    dots += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\"><title>{}: {}</title>"
        "</circle>\n",
        x, y, series_colour(index), text::xml(label_of(total->parameters)), tick_text(value));
  }
  chart.add(fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\"/>\n{}",
                        path, series_colour(index), dots));
}

}  // namespace

std::string curves_svg(const PlotRequest& plot, const std::vector<Total>& totals) {
  const std::vector<const Total*> shown = chosen(plot, totals);
  const std::vector<std::string> values = values_in(shown, plot.x);
  const Places places(values);
  double least = metric_of(*shown.front(), plot.y);
  double most = least;
  for (const Total* total : shown) {
    least = std::min(least, metric_of(*total, plot.y));
    most = std::max(most, metric_of(*total, plot.y));
  }
  const Scale scale = Scale::over(least, most, /*from_zero=*/true);
  Chart chart(title_of(plot, plot.y + " against " + plot.x), plot.x, plot.y);
  chart.horizontal_grid(scale);
  places.draw(chart);
  std::size_t index = 0;
  for (const std::string& name : values_in(shown, plot.series)) {
    draw_series(chart, plot, with_value(shown, plot.series, name), places, scale, index);
    if (!plot.series.empty()) chart.legend(index, plot.series + " " + name);
    ++index;
  }
  return chart.svg();
}

}  // namespace tcsim::sweep
