#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <stdexcept>

#include "sim/plot/chart.hpp"
#include "sim/sweep/plot_data.hpp"
#include "sim/sweep/plots.hpp"

namespace tcsim::sweep {

using plot::Chart;
using plot::tick_text;

namespace {

using Colour = std::array<double, 3>;

/// From dark blue over green to yellow, of growing lightness.
Colour colour_at(double position) {
  constexpr std::array<Colour, 4> kStops{
      {{49, 54, 117}, {33, 121, 140}, {78, 190, 110}, {250, 231, 60}}};
  const double scaled = std::clamp(position, 0.0, 1.0) * (kStops.size() - 1);
  const auto stop = std::min<std::size_t>(static_cast<std::size_t>(scaled), kStops.size() - 2);
  const double part = scaled - static_cast<double>(stop);
  Colour colour{};
  for (std::size_t i = 0; i < colour.size(); ++i)
    colour[i] = kStops[stop][i] * (1 - part) + kStops[stop + 1][i] * part;
  return colour;
}

std::string rgb(double position) {
  const Colour colour = colour_at(position);
  return fmt::format("rgb({:.0f},{:.0f},{:.0f})", colour[0], colour[1], colour[2]);
}

std::string cell(double x, double y, double width, double height, double position, double value) {
  constexpr double kLightText = 0.45;  // below it the cell is dark
  return fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
      "fill=\"{}\" stroke=\"#fff\"/>\n"
      "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" fill=\"{}\">{:.4g}</text>\n",
      x, y, width, height, rgb(position), x + width / 2, y + height / 2 + 4,
      position < kLightText ? "#fff" : "#000", value);
}

/// The configurations by their values of x and y, which must tell them apart.
std::map<std::pair<std::string_view, std::string_view>, const Total*> cells_of(
    const PlotRequest& plot, const std::vector<const Total*>& shown) {
  std::map<std::pair<std::string_view, std::string_view>, const Total*> cells;
  for (const Total* total : shown) {
    const std::string& x = value_of(total->parameters, plot.x);
    const std::string& y = value_of(total->parameters, plot.y);
    if (!cells.emplace(std::pair(std::string_view(x), std::string_view(y)), total).second)
      throw std::invalid_argument(
          fmt::format("several configurations have {} {} and {} {}; choose among them with where "
                      "(tcsim plot: --where COLUMN=VALUE)",
                      plot.x, x, plot.y, y));
  }
  return cells;
}

/// The numbers of a map, from the worst, which is dark, to the best.
struct Range {
  double worst = 0;
  double best = 0;

  /// From 0 to 1; in the middle if all numbers are the same.
  [[nodiscard]] double position(double value) const {
    return worst == best ? 0.5 : (value - worst) / (best - worst);
  }
};

/// Right of the field: the colours with the numbers at their ends, and which of these is better.
void draw_colours(Chart& chart, const Range& range) {
  if (range.worst == range.best) return;
  constexpr double kLeft = Chart::kLeft + Chart::kWidth + 20;
  constexpr double kTop = Chart::kTop + 20;
  constexpr double kWidth = 18;
  constexpr double kStep = 6;
  constexpr int kSteps = 32;
  chart.add(fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{} is better</text>\n", kLeft,
                        Chart::kTop + 10, range.best > range.worst ? "more" : "less"));
  for (int i = 0; i < kSteps; ++i)
    chart.add(fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", kLeft,
        kTop + i * kStep, kWidth, kStep, rgb(1 - static_cast<double>(i) / (kSteps - 1))));
  for (const auto& [number, y] :
       {std::pair(range.best, kTop + 10), std::pair(range.worst, kTop + kSteps * kStep)})
    chart.add(fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{:.4g}</text>\n", kLeft + kWidth + 6, y,
                          number));
}

/// More cells than pixels show nothing.
void require_room(std::size_t columns, std::size_t rows) {
  constexpr std::size_t kMost = 1000;
  if (columns > kMost || rows > kMost)
    throw std::invalid_argument(fmt::format(
        "{} by {} cells are more than the {} by {} of a heat map", columns, rows, kMost, kMost));
}

}  // namespace

std::string heat_map_svg(const PlotRequest& plot, const std::vector<Total>& totals) {
  const std::vector<const Total*> shown = chosen(plot, totals);
  const std::vector<std::string> columns = values_in(shown, plot.x);
  const std::vector<std::string> rows = values_in(shown, plot.y);
  require_room(columns.size(), rows.size());
  double least = metric_of(*shown.front(), plot.value);
  double most = least;
  for (const Total* total : shown) {
    least = std::min(least, metric_of(*total, plot.value));
    most = std::max(most, metric_of(*total, plot.value));
  }
  if (!std::isfinite(most - least))
    throw std::invalid_argument(
        fmt::format("{} to {} is not a range of colours", tick_text(least), tick_text(most)));
  const double width = 1.0 / static_cast<double>(columns.size());
  const double height = 1.0 / static_cast<double>(rows.size());
  const bool more = larger_is_better(plot.value);
  const Range range{more ? least : most, more ? most : least};
  Chart chart(title_of(plot, metric_title(plot.value)), plot.x, plot.y);
  const auto cells = cells_of(plot, shown);
  for (std::size_t column = 0; column < columns.size(); ++column) {
    const double left = static_cast<double>(column) * width;
    chart.x_label(left + width / 2, columns[column], columns[column].size() > 6);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const auto found = cells.find({columns[column], rows[row]});
      if (found == cells.end()) continue;
      const double value = metric_of(*found->second, plot.value);
      const double top = static_cast<double>(row + 1) * height;
      chart.add(cell(Chart::x(left), Chart::y(top), width * Chart::kWidth, height * Chart::kHeight,
                     range.position(value), value));
    }
  }
  for (std::size_t row = 0; row < rows.size(); ++row)
    chart.y_label((static_cast<double>(row) + 0.5) * height, rows[row]);
  draw_colours(chart, range);
  return chart.svg();
}

}  // namespace tcsim::sweep
