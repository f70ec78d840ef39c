#include "sim/plot/lanes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/plot/legend.hpp"
#include "sim/plot/time_axis.hpp"

namespace tcsim::plot {
namespace {

constexpr double kLaneHeight = 20;
constexpr double kLanePitch = 27;

double covered(const Lanes::Row& row, std::size_t series) {
  double sum = 0;
  for (const Lanes::Span& span : row.spans)
    if (span.series == series) sum += span.end - span.start;
  return sum;
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
  Drawing drawing(kPictureWidth, bottom + 44 + draw_legend(nullptr, lanes.legend, 0, bottom + 38),
                  lanes.title, description_of(lanes));
  drawing.set_setting(lanes.setting);
  const TimeAxis axis{lanes.end, lanes.axis};
  axis.draw(drawing, bottom);
  double top = 4;
  for (const Lanes::Row& row : lanes.rows) {
    drawing.text(TimeAxis::kLeft - 8, top + 15, row.label, "label", Anchor::kEnd);
    drawing.rectangle(TimeAxis::kLeft, top, TimeAxis::kRight - TimeAxis::kLeft, kLaneHeight,
                      "track", "");
    for (const Lanes::Span& span : row.spans)
      drawing.rectangle(axis.x(span.start), top, axis.x(span.end) - axis.x(span.start), kLaneHeight,
                        series_class('s', span.series), span.words);
    top += kLanePitch;
  }
  draw_legend(&drawing, lanes.legend, 0, bottom + 38);
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
  text += TimeAxis{lanes.end, lanes.axis}.ascii(width, kColumns);
  for (std::size_t i = 0; i < lanes.legend.size(); ++i)
    text += fmt::format("  {} = {}\n", kLetters[i % kLetters.size()], lanes.legend[i]);
  return text;
}

}  // namespace tcsim::plot
