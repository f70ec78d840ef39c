#include "sim/plot/strips.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "sim/plot/time_axis.hpp"

namespace tcsim::plot {
namespace {

constexpr double kStripsRowHeight = 46;
constexpr double kStripHeight = 36;

/// The area under one row as an SVG path.
std::string area(const Strips& strips, const TimeAxis& axis, const Strips::Row& row, double top) {
  const double bottom = top + kStripHeight;
  std::string path = fmt::format("M{:.1f} {:.1f}", TimeAxis::kLeft, bottom);
  for (std::size_t i = 0; i < row.values.size(); ++i) {
    const double height = std::clamp(row.values[i], 0.0, 1.0) * kStripHeight;
    path += fmt::format("V{:.1f}H{:.1f}", bottom - height, axis.x(strips.edges[i]));
  }
  return path + fmt::format("V{:.1f}Z", bottom);
}

double mean_of(const Strips& strips, const Strips::Row& row) {
  double sum = 0;
  double before = 0;
  for (std::size_t i = 0; i < row.values.size(); ++i) {
    sum += row.values[i] * (strips.edges[i] - before);
    before = strips.edges[i];
  }
  return sum / strips.edges.back();
}

/// The mean of `row` between two moments.
double mean_between(const Strips& strips, const Strips::Row& row, double from, double to) {
  double sum = 0;
  double before = 0;
  for (std::size_t i = 0; i < row.values.size(); ++i) {
    const double overlap = std::min(to, strips.edges[i]) - std::max(from, before);
    if (overlap > 0) sum += row.values[i] * overlap;
    before = strips.edges[i];
  }
  return sum / (to - from);
}

}  // namespace

std::string strips_svg(const Strips& strips, Theme theme) {
  const double bottom = kStripsRowHeight * static_cast<double>(strips.rows.size());
  std::string description;
  for (const auto& row : strips.rows)
    description += fmt::format("{}: {:.1f} % of {} on average. ", row.label,
                               100 * mean_of(strips, row), row.full);
  Drawing drawing(kPictureWidth, bottom + 40, strips.title, description);
  drawing.set_setting(strips.setting);
  const TimeAxis axis{strips.edges.back(), strips.axis};
  axis.draw(drawing, bottom);
  double top = 4;
  for (std::size_t i = 0; i < strips.rows.size(); ++i) {
    const auto& row = strips.rows[i];
    drawing.text(TimeAxis::kLeft - 8, top + 15, row.label, "label", Anchor::kEnd);
    drawing.text(TimeAxis::kLeft - 8, top + 30, row.full, "label small", Anchor::kEnd);
    drawing.path(area(strips, axis, row, top), series_class('s', i));
    drawing.line(TimeAxis::kLeft, top + kStripHeight, TimeAxis::kRight, top + kStripHeight,
                 "frame");
    top += kStripsRowHeight;
  }
  return drawing.svg(theme);
}

std::string strips_ascii(const Strips& strips) {
  constexpr int kColumns = 64;
  constexpr std::string_view kInk = " .:-=+*#%@";
  std::string text;
  std::size_t width = 0;
  for (const auto& row : strips.rows) width = std::max(width, row.label.size());
  for (const auto& row : strips.rows) {
    std::string line;
    for (int column = 0; column < kColumns; ++column) {
      const double step = strips.edges.back() / kColumns;
      const double value =
          std::clamp(mean_between(strips, row, column * step, (column + 1) * step), 0.0, 1.0);
      line += kInk[static_cast<std::size_t>(std::lround(value * (kInk.size() - 1)))];
    }
    text += fmt::format("  {:<{}} |{}| @ = {}\n", row.label, width, line, row.full);
  }
  return text + TimeAxis{strips.edges.back(), strips.axis}.ascii(width, kColumns);
}

}  // namespace tcsim::plot
