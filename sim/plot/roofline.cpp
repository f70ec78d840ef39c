#include "sim/plot/roofline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/plot/chart.hpp"
#include "sim/plot/log_scale.hpp"

namespace tcsim::plot {
namespace {

constexpr double kRooflineWidth = 720;
constexpr double kRooflineHeight = 400;
constexpr double kRooflineLeft = 62;
constexpr double kRooflineRight = 700;
constexpr double kRooflineTop = 16;
constexpr double kRooflineBottom = 320;
constexpr double kGigaPerTera = 1000;

double highest_ceiling(const Roofline& roofline) {
  double most = 0;
  for (const auto& ceiling : roofline.ceilings) most = std::max(most, ceiling.tera_ops_per_s);
  return most;
}

/// Axes that hold the dots, the ridge points and something on both sides of them.
struct Axes {
  LogScale x;
  LogScale y;

  explicit Axes(const Roofline& roofline) {
    const double top = highest_ceiling(roofline);
    double least_x = 1;
    double most_x = 100;
    double least_y = top;
    for (const auto& slope : roofline.slopes)
      most_x = std::max(most_x, 2 * top * kGigaPerTera / slope.gb_per_s);
    for (const auto& ceiling : roofline.ceilings)
      least_y = std::min(least_y, ceiling.tera_ops_per_s);
    for (const auto& dot : roofline.dots) {
      least_x = std::min(least_x, dot.intensity);
      most_x = std::max(most_x, dot.intensity);
      least_y = std::min(least_y, dot.tera_ops_per_s);
    }
    most_x = std::max(most_x, roofline.best_intensity);
    x = LogScale::over(least_x, most_x);
    y = LogScale::over(least_y / 2, top);
    if (y.position(top) > 0.97) ++y.last;
  }

  [[nodiscard]] double left(double intensity) const {
    return kRooflineLeft + x.position(intensity) * (kRooflineRight - kRooflineLeft);
  }
  [[nodiscard]] double top(double rate) const {
    return kRooflineBottom - y.position(rate) * (kRooflineBottom - kRooflineTop);
  }
};

void draw_grid(Drawing& drawing, const Axes& axes) {
  for (int decade = axes.x.first; decade <= axes.x.last; ++decade) {
    const double value = std::pow(10.0, decade);
    drawing.line(axes.left(value), kRooflineTop, axes.left(value), kRooflineBottom, "grid");
    drawing.text(axes.left(value), kRooflineBottom + 17, tick_text(value), "label",
                 Anchor::kMiddle);
  }
  for (int decade = axes.y.first; decade <= axes.y.last; ++decade) {
    const double value = std::pow(10.0, decade);
    drawing.line(kRooflineLeft, axes.top(value), kRooflineRight, axes.top(value), "grid");
    drawing.text(kRooflineLeft - 7, axes.top(value) + 4, tick_text(value), "label", Anchor::kEnd);
  }
  drawing.text((kRooflineLeft + kRooflineRight) / 2, kRooflineBottom + 36, "operations per byte",
               "label", Anchor::kMiddle);
  drawing.turned_text(16, (kRooflineTop + kRooflineBottom) / 2, -90, "10^12 operations per second",
                      "label", Anchor::kMiddle);
}

/// A roof in pixels, from its left end.
struct Roof {
  double x1;
  double y1;
  double x2;
  double y2;
};

Roof roof_of(const Axes& axes, const Roofline::Slope& slope, double ceiling) {
  const double ridge = ceiling * kGigaPerTera / slope.gb_per_s;
  const double lowest = std::max(axes.x.value(0), axes.y.value(0) * kGigaPerTera / slope.gb_per_s);
  const double highest = std::min(ridge, axes.x.value(1));
  return {axes.left(lowest), axes.top(lowest * slope.gb_per_s / kGigaPerTera), axes.left(highest),
          axes.top(highest * slope.gb_per_s / kGigaPerTera)};
}

Roof roof_of(const Axes& axes, const Roofline::Ceiling& ceiling, double fastest) {
  const double start = std::max(axes.x.value(0), ceiling.tera_ops_per_s * kGigaPerTera / fastest);
  const double height = axes.top(ceiling.tera_ops_per_s);
  return {axes.left(start), height, kRooflineRight, height};
}

/// All names after all lines, so that no roof goes through the name of another.
void draw_roofs(Drawing& drawing, const Axes& axes, const Roofline& roofline) {
  constexpr const char* kName = "label small halo";
  const double top = highest_ceiling(roofline);
  double fastest = 0;
  for (const auto& slope : roofline.slopes) fastest = std::max(fastest, slope.gb_per_s);
  const auto draw = [&drawing](const Roof& roof, const char* style) {
    drawing.line(roof.x1, roof.y1, roof.x2, roof.y2, style);
  };
  for (const auto& slope : roofline.slopes) draw(roof_of(axes, slope, top), "slope");
  for (const auto& ceiling : roofline.ceilings) draw(roof_of(axes, ceiling, fastest), "ceiling");
  for (const auto& slope : roofline.slopes) {
    constexpr double kDegrees = 57.29577951308232;
    const Roof roof = roof_of(axes, slope, top);
    const double angle = std::atan2(roof.y2 - roof.y1, roof.x2 - roof.x1) * kDegrees;
    drawing.turned_text(
        roof.x1 + 0.06 * (roof.x2 - roof.x1), roof.y1 + 0.06 * (roof.y2 - roof.y1) - 7, angle,
        fmt::format("{} {:.0f} GB/s", slope.name, slope.gb_per_s), kName, Anchor::kStart);
  }
  for (const auto& ceiling : roofline.ceilings)
    drawing.text(kRooflineRight - 4, axes.top(ceiling.tera_ops_per_s) - 6,
                 fmt::format("{} {:.1f}", ceiling.name, ceiling.tera_ops_per_s), kName,
                 Anchor::kEnd);
}

void draw_dots(Drawing& drawing, const Axes& axes, const Roofline& roofline) {
  for (const auto& dot : roofline.dots) {
    drawing.circle(axes.left(dot.intensity), axes.top(dot.tera_ops_per_s), 5.5,
                   series_class('s', dot.series),
                   fmt::format("{}: {:.4g} x 10^12 operations/s at {:.4g} operations/B", dot.name,
                               dot.tera_ops_per_s, dot.intensity));
  }
}

void draw_legend(Drawing& drawing, const std::vector<std::string>& legend) {
  constexpr double kPixelsPerLetter = 6.6;
  double left = kRooflineLeft;
  double height = kRooflineBottom + 62;
  for (std::size_t i = 0; i < legend.size(); ++i) {
    const double width = 30 + kPixelsPerLetter * static_cast<double>(legend[i].size());
    if (left + width > kRooflineRight && left > kRooflineLeft) {
      left = kRooflineLeft;
      height += 18;
    }
    drawing.circle(left + 6, height - 4, 5, series_class('s', i), "");
    drawing.text(left + 16, height, legend[i], "label");
    left += width;
  }
}

std::string description(const Roofline& roofline) {
  std::string text;
  for (const auto& dot : roofline.dots)
    text += fmt::format("{}: {:.4g} x 10^12 operations per second at {:.4g} operations per byte. ",
                        dot.name, dot.tera_ops_per_s, dot.intensity);
  for (const auto& ceiling : roofline.ceilings)
    text += fmt::format("Ceiling {}: {:.1f}. ", ceiling.name, ceiling.tera_ops_per_s);
  for (const auto& slope : roofline.slopes)
    text += fmt::format("{}: {:.0f} GB/s. ", slope.name, slope.gb_per_s);
  return text;
}

}  // namespace

void add_ceiling(Roofline& roofline, const Roofline::Ceiling& ceiling) {
  for (Roofline::Ceiling& known : roofline.ceilings) {
    if (known.tera_ops_per_s != ceiling.tera_ops_per_s) continue;
    if (known.name.find(ceiling.name) == std::string::npos) known.name += ", " + ceiling.name;
    return;
  }
  roofline.ceilings.push_back(ceiling);
}

double attainable(double tera_ops_per_s, double gb_per_s, double intensity) {
  return std::min(tera_ops_per_s, gb_per_s * intensity / kGigaPerTera);
}

std::string roofline_svg(const Roofline& roofline, Theme theme) {
  const Axes axes(roofline);
  Drawing drawing(kRooflineWidth, kRooflineHeight, roofline.title, description(roofline));
  drawing.set_setting(roofline.setting);
  draw_grid(drawing, axes);
  if (roofline.best_intensity > 0) {
    const double x = axes.left(roofline.best_intensity);
    drawing.line(x, kRooflineTop, x, kRooflineBottom, "guide");
    drawing.text(x - 5, kRooflineBottom - 8, "minimum traffic", "label small halo", Anchor::kEnd);
  }
  draw_roofs(drawing, axes, roofline);
  draw_dots(drawing, axes, roofline);
  draw_legend(drawing, roofline.legend);
  return drawing.svg(theme);
}

std::string roofline_ascii(const Roofline& roofline) {
  constexpr int kColumns = 72;
  constexpr int kRows = 20;
  const Axes axes(roofline);
  std::vector<std::string> grid(kRows, std::string(kColumns, ' '));
  const auto put = [&](double intensity, double rate, char letter) {
    const auto column = std::lround(axes.x.position(intensity) * (kColumns - 1));
    const auto row = std::lround((1 - axes.y.position(rate)) * (kRows - 1));
    if (column >= 0 && column < kColumns && row >= 0 && row < kRows)
      grid[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)] = letter;
  };
  double fastest = 0;
  for (const auto& slope : roofline.slopes) fastest = std::max(fastest, slope.gb_per_s);
  const double top = highest_ceiling(roofline);
  for (int column = 0; column < kColumns; ++column) {
    const double intensity = axes.x.value(static_cast<double>(column) / (kColumns - 1));
    for (const auto& slope : roofline.slopes)
      if (intensity * slope.gb_per_s / kGigaPerTera < top)
        put(intensity, intensity * slope.gb_per_s / kGigaPerTera, '/');
    for (const auto& ceiling : roofline.ceilings)
      if (intensity * fastest / kGigaPerTera >= ceiling.tera_ops_per_s)
        put(intensity, ceiling.tera_ops_per_s, '-');
  }
  std::string legend;
  char letter = 'A';
  for (const auto& dot : roofline.dots) {
    put(dot.intensity, dot.tera_ops_per_s, letter);
    legend += fmt::format("  {} {}: {:.4g} at {:.4g} per byte\n", letter, dot.name,
                          dot.tera_ops_per_s, dot.intensity);
    letter = letter == 'Z' ? 'a' : static_cast<char>(letter + 1);
    if (letter == '{') letter = 'A';
  }
  std::string text;
  for (int row = 0; row < kRows; ++row) {
    const double rate = axes.y.value(1 - static_cast<double>(row) / (kRows - 1));
    const std::string& line = grid[static_cast<std::size_t>(row)];
    text += fmt::format("{:>8.4g} |{}\n", rate, line.substr(0, line.find_last_not_of(' ') + 1));
  }
  text += fmt::format("{:>8} +{}\n{:>10}{:<{}}{}\n", "", std::string(kColumns, '-'), "",
                      tick_text(axes.x.value(0)), kColumns - 6, tick_text(axes.x.value(1)));
  text += "  10^12 operations per second against operations per byte; both logarithmic\n";
  for (const auto& ceiling : roofline.ceilings)
    text += fmt::format("  - {}: {:.1f}\n", ceiling.name, ceiling.tera_ops_per_s);
  for (const auto& slope : roofline.slopes)
    text += fmt::format("  / {}: {:.0f} GB/s\n", slope.name, slope.gb_per_s);
  return text + legend;
}

}  // namespace tcsim::plot
