#include "sim/plot/lanes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/plot/chart.hpp"

namespace tcsim::plot {
namespace {

constexpr double kLanesWidth = 720;
constexpr double kLanesLeft = 132;
constexpr double kLanesRight = 712;
constexpr double kLaneHeight = 20;
constexpr double kLanePitch = 27;
constexpr double kLanePixelsPerLetter = 7.2;

double covered(const Lanes::Row& row, std::size_t series) {
  double sum = 0;
  for (const Lanes::Span& span : row.spans)
    if (span.series == series) sum += span.end - span.start;
  return sum;
}

/// Names with their colours; returns the height below `top`.
double draw_names(Drawing* drawing, const Lanes& lanes, double top) {
  double x = 0;
  double y = top + 14;
  for (std::size_t i = 0; i < lanes.legend.size(); ++i) {
    const double width = 30 + kLanePixelsPerLetter * static_cast<double>(lanes.legend[i].size());
    if (x + width > kLanesWidth && x > 0) {
      x = 0;
      y += 19;
    }
    if (drawing != nullptr) {
      drawing->rectangle(x, y - 10, 11, 11, series_class('s', i), "");
      drawing->text(x + 16, y, lanes.legend[i], "label");
    }
    x += width;
  }
  return lanes.legend.empty() ? 0 : y - top + 8;
}

std::string description_of(const Lanes& lanes) {
  std::string text;
  for (const Lanes::Row& row : lanes.rows) {
    text += row.label + ":";
    for (std::size_t i = 0; i < lanes.legend.size(); ++i)
      if (const double part = covered(row, i); part > 0)
        text += fmt::format(" {} {:.1f} %,", lanes.legend[i], 100 * part / lanes.end);
    text.back() = '.';
    text += ' ';
  }
  return text;
}

}  // namespace

std::string lanes_svg(const Lanes& lanes, Theme theme) {
  const double bottom = 4 + kLanePitch * static_cast<double>(lanes.rows.size());
  Drawing drawing(kLanesWidth, bottom + 44 + draw_names(nullptr, lanes, bottom + 38), lanes.title,
                  description_of(lanes));
  drawing.set_setting(lanes.setting);
  const auto x = [&](double time) {
    return kLanesLeft + time / lanes.end * (kLanesRight - kLanesLeft);
  };
  for (const double tick : Scale::over(0, lanes.end, true).ticks()) {
    if (tick > lanes.end * 1.0001) continue;
    drawing.line(x(tick), 0, x(tick), bottom, "grid");
    drawing.text(x(tick), bottom + 14, tick_text(tick), "label small", Anchor::kMiddle);
  }
  drawing.text((kLanesLeft + kLanesRight) / 2, bottom + 32, lanes.axis, "label", Anchor::kMiddle);
  double top = 4;
  for (const Lanes::Row& row : lanes.rows) {
    drawing.text(kLanesLeft - 8, top + 15, row.label, "label", Anchor::kEnd);
    drawing.rectangle(kLanesLeft, top, kLanesRight - kLanesLeft, kLaneHeight, "track", "");
    for (const Lanes::Span& span : row.spans)
      drawing.rectangle(x(span.start), top, x(span.end) - x(span.start), kLaneHeight,
                        series_class('s', span.series), span.words);
    top += kLanePitch;
  }
  draw_names(&drawing, lanes, bottom + 38);
  return drawing.svg(theme);
}

std::string lanes_ascii(const Lanes& lanes) {
  constexpr int kColumns = 64;
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";
  std::size_t width = 0;
  for (const Lanes::Row& row : lanes.rows) width = std::max(width, row.label.size());
  std::string text;
  for (const Lanes::Row& row : lanes.rows) {
    std::string line(kColumns, ' ');
    for (int column = 0; column < kColumns; ++column) {
      const double from = lanes.end * column / kColumns;
      const double to = lanes.end * (column + 1) / kColumns;
      std::vector<double> parts(lanes.legend.size(), 0.0);
      for (const Lanes::Span& span : row.spans)
        parts[span.series] += std::max(0.0, std::min(to, span.end) - std::max(from, span.start));
      const auto most = std::ranges::max_element(parts);
      if (most != parts.end() && *most > 0)
        line[static_cast<std::size_t>(column)] =
            kLetters[static_cast<std::size_t>(most - parts.begin()) % kLetters.size()];
    }
    text += fmt::format("  {:<{}} |{}|\n", row.label, width, line);
  }
  text += fmt::format("  {:<{}}  0{:>{}} {}\n", "", width, tick_text(lanes.end), kColumns - 1,
                      lanes.axis);
  for (std::size_t i = 0; i < lanes.legend.size(); ++i)
    text += fmt::format("  {} = {}\n", kLetters[i % kLetters.size()], lanes.legend[i]);
  return text;
}

}  // namespace tcsim::plot
