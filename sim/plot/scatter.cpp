#include "sim/plot/scatter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/plot/chart.hpp"
#include "sim/plot/log_scale.hpp"
#include "sim/plot/marker.hpp"

namespace tcsim::plot {
namespace {

constexpr double kSide = 560;  // of the field
constexpr double kScatterLeft = 62;
constexpr double kScatterTop = 10;
constexpr double kLegend = 250;
constexpr double kLegendLine = 20;
constexpr double kRadius = 3.6;

static_assert(std::gcd(kMarkers, Drawing::kSeries) == 1, "series would share colour and shape");

LogScale axis_of(const Scatter& scatter) {
  double least = scatter.dots.front().x;
  double most = least;
  for (const Scatter::Dot& dot : scatter.dots) {
    least = std::min({least, dot.x, dot.y});
    most = std::max({most, dot.x, dot.y});
  }
  return LogScale::over(least, most);
}

/// Pixels of a position from 0 to 1 of the field.
double across(double position) { return kScatterLeft + position * kSide; }
double down(double position) { return kScatterTop + (1 - position) * kSide; }

void draw_grid(Drawing& drawing, const Scatter& scatter, const LogScale& axis) {
  for (int decade = axis.first; decade <= axis.last; ++decade) {
    const double value = std::pow(10.0, decade);
    const double position = axis.position(value);
    drawing.line(across(position), down(0), across(position), down(1), "grid");
    drawing.line(across(0), down(position), across(1), down(position), "grid");
    drawing.text(across(position), down(0) + 17, tick_text(value), "label", Anchor::kMiddle);
    drawing.text(across(0) - 7, down(position) + 4, tick_text(value), "label", Anchor::kEnd);
  }
  drawing.text(across(0.5), down(0) + 36, scatter.x_name, "label", Anchor::kMiddle);
  drawing.turned_text(12, down(0.5), -90, scatter.y_name, "label", Anchor::kMiddle);
}

/// The diagonal and the band around it, cut at the edges of the field.
void draw_diagonal(Drawing& drawing, const Scatter& scatter, const LogScale& axis) {
  const double decade = kSide / (axis.last - axis.first);
  const double above = std::log10(1 + scatter.band) * decade;
  const double below = -std::log10(1 - scatter.band) * decade;
  drawing.path(fmt::format("M{0:.1f} {1:.1f}V{2:.1f}L{3:.1f} {4:.1f}H{5:.1f}V{6:.1f}L{7:.1f} "
                           "{1:.1f}Z",
                           across(0), down(0), down(0) - above, across(1) - above, down(1),
                           across(1), down(1) + below, across(0) + below),
               "track");
  drawing.line(across(0), down(0), across(1), down(1), "slope");
}

}  // namespace

std::string scatter_svg(const Scatter& scatter, Theme theme) {
  const LogScale axis = axis_of(scatter);
  const double legend = 10 + kLegendLine * static_cast<double>(scatter.legend.size());
  Drawing drawing(
      kScatterLeft + kSide + kLegend, kScatterTop + std::max(kSide + 46, legend), scatter.title,
      fmt::format("{} dots: {} against {}", scatter.dots.size(), scatter.y_name, scatter.x_name));
  draw_diagonal(drawing, scatter, axis);
  draw_grid(drawing, scatter, axis);
  for (const Scatter::Dot& dot : scatter.dots)
    drawing.path(
        marker(across(axis.position(dot.x)), down(axis.position(dot.y)), kRadius, dot.series),
        "dot " + series_class('s', dot.series), dot.tooltip);
  for (std::size_t i = 0; i < scatter.legend.size(); ++i) {
    const double height = kScatterTop + 10 + kLegendLine * static_cast<double>(i);
    drawing.path(marker(across(1) + 20, height, kRadius, i), series_class('s', i));
    drawing.text(across(1) + 32, height + 4, scatter.legend[i], "label");
  }
  return drawing.svg(theme);
}

}  // namespace tcsim::plot
