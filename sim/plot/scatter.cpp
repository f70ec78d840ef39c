#include "sim/plot/scatter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/plot/chart.hpp"
#include "sim/plot/log_scale.hpp"

namespace tcsim::plot {
namespace {

constexpr double kSide = 560;  // of the field
constexpr double kScatterLeft = 62;
constexpr double kScatterTop = 10;
constexpr double kLegend = 250;
constexpr double kRadius = 3.6;

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

/// The outline of the marker of series `series`: circle, square, triangle, diamond, triangle upside
/// down, in turns.
std::string marker(double x, double y, std::size_t series) {
  const double r = kRadius;
  switch (series % 5) {
    case 0:
      return fmt::format("M{:.1f} {:.1f}a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0 -{d} 0Z", x - r, y,
                         fmt::arg("r", r), fmt::arg("d", 2 * r));
    case 1:
      return fmt::format("M{:.1f} {:.1f}h{d}v{d}h-{d}Z", x - r, y - r, fmt::arg("d", 2 * r));
    case 2:
      return fmt::format("M{:.1f} {:.1f}l{w} {h}h-{d}Z", x, y - 1.2 * r, fmt::arg("w", 1.2 * r),
                         fmt::arg("h", 2.1 * r), fmt::arg("d", 2.4 * r));
    case 3:
      return fmt::format("M{:.1f} {:.1f}l{w} {w}l-{w} {w}l-{w} -{w}Z", x, y - 1.3 * r,
                         fmt::arg("w", 1.3 * r));
    default:
      return fmt::format("M{:.1f} {:.1f}l{w} -{h}h-{d}Z", x, y + 1.2 * r, fmt::arg("w", 1.2 * r),
                         fmt::arg("h", 2.1 * r), fmt::arg("d", 2.4 * r));
  }
}

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
  const double width = std::log10(1 + scatter.band) / (axis.last - axis.first) * kSide;
  drawing.path(fmt::format("M{0:.1f} {1:.1f}V{2:.1f}L{3:.1f} {4:.1f}H{5:.1f}V{6:.1f}L{7:.1f} "
                           "{1:.1f}Z",
                           across(0), down(0), down(0) - width, across(1) - width, down(1),
                           across(1), down(1) + width, across(0) + width),
               "track");
  drawing.line(across(0), down(0), across(1), down(1), "slope");
}

}  // namespace

std::string scatter_svg(const Scatter& scatter, Theme theme) {
  const LogScale axis = axis_of(scatter);
  Drawing drawing(
      kScatterLeft + kSide + kLegend, kScatterTop + kSide + 46, scatter.title,
      fmt::format("{} dots: {} against {}", scatter.dots.size(), scatter.y_name, scatter.x_name));
  draw_diagonal(drawing, scatter, axis);
  draw_grid(drawing, scatter, axis);
  for (const Scatter::Dot& dot : scatter.dots)
    drawing.path(marker(across(axis.position(dot.x)), down(axis.position(dot.y)), dot.series),
                 "dot " + series_class('s', dot.series), dot.tooltip);
  for (std::size_t i = 0; i < scatter.legend.size(); ++i) {
    const double height = kScatterTop + 10 + 20 * static_cast<double>(i);
    drawing.path(marker(across(1) + 20, height, i), series_class('s', i));
    drawing.text(across(1) + 32, height + 4, scatter.legend[i], "label");
  }
  return drawing.svg(theme);
}

}  // namespace tcsim::plot
