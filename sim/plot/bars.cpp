#include "sim/plot/bars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/plot/legend.hpp"
#include "sim/text/outgoing.hpp"

namespace tcsim::plot {
namespace {

constexpr double kRowHeight = 26;
constexpr double kBarHeight = 16;
constexpr double kLongestLabel = 330;
constexpr double kValueWidth = 175;
constexpr int kAsciiWidth = 40;
constexpr double kPercent = 100;

template <typename Rows>
std::size_t longest_label(const Rows& rows) {
  std::size_t longest = 0;
  for (const auto& row : rows) longest = std::max(longest, row.label.size());
  return longest;
}

double label_width(std::size_t letters) {
  return std::clamp(14 + kLetterWidth * static_cast<double>(letters), 60.0, kLongestLabel);
}

/// `label` cut to what fits beside the bars.
std::string shortened(const std::string& label) {
  return text::shortened(label, static_cast<std::size_t>((kLongestLabel - 14) / kLetterWidth));
}

double sum_of(const std::vector<double>& parts) {
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

/// Names with their shares where there is one row; names without a share anywhere are empty.
std::vector<std::string> legend_of(const StackedBars& bars) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < bars.names.size(); ++i) {
    double most = 0;
    for (const auto& row : bars.rows) most = std::max(most, row.parts[i] / sum_of(row.parts));
    std::string name = most > 0 ? bars.names[i] : "";
    if (most > 0 && bars.rows.size() == 1) name += fmt::format(" {:.1f} %", kPercent * most);
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

std::string bars_svg(const Bars& bars, Theme theme) {
  const double left = label_width(longest_label(bars.rows));
  const double room = kPictureWidth - left - kValueWidth;
  const double field = 6 + kRowHeight * static_cast<double>(bars.rows.size());
  std::string description;
  for (const auto& row : bars.rows) description += row.label + ": " + row.text + ". ";
  Drawing drawing(kPictureWidth, field + draw_legend(nullptr, bars.legend, left, field) + 4,
                  bars.title, description);
  double top = 6;
  for (const auto& row : bars.rows) {
    const double width = std::clamp(row.value / bars.most, 0.0, 1.0) * room;
    drawing.text(left - 8, top + 13, shortened(row.label), "label", Anchor::kEnd);
    drawing.rectangle(left, top, room, kBarHeight, "track", "");
    drawing.rectangle(left, top, width, kBarHeight, series_class('s', row.series),
                      row.label + ": " + row.text);
    drawing.text(left + room + 8, top + 13, row.text, "label");
    top += kRowHeight;
  }
  if (bars.reference > 0) {
    const double x = left + std::min(1.0, bars.reference / bars.most) * room;
    drawing.line(x, 0, x, field - 4, "guide");
  }
  draw_legend(&drawing, bars.legend, left, field);
  return drawing.svg(theme);
}

std::string bars_ascii(const Bars& bars) {
  std::string text;
  const std::size_t width = longest_label(bars.rows);
  for (const auto& row : bars.rows) {
    const auto filled = static_cast<std::size_t>(
        std::lround(std::clamp(row.value / bars.most, 0.0, 1.0) * kAsciiWidth));
    text += fmt::format("  {:<{}} |{:<{}}| {}\n", row.label, width, std::string(filled, '#'),
                        kAsciiWidth, row.text);
  }
  return text;
}

std::string stacked_bars_svg(const StackedBars& bars, Theme theme) {
  constexpr double kTall = 26;
  const double left = bars.rows.size() == 1 ? 0 : label_width(longest_label(bars.rows));
  const double room = kPictureWidth - left;
  const double field = 4 + (kTall + 8) * static_cast<double>(bars.rows.size());
  const std::vector<std::string> legend = legend_of(bars);
  std::string description;
  for (const auto& row : bars.rows) {
    description += row.label + ":";
    for (std::size_t i = 0; i < bars.names.size(); ++i)
      if (row.parts[i] > 0)
        description += fmt::format(" {} {:.1f} %,", bars.names[i],
                                   kPercent * row.parts[i] / sum_of(row.parts));
    description.back() = '.';
    description += ' ';
  }
  Drawing drawing(kPictureWidth, field + draw_legend(nullptr, legend, 0, field) + 4, bars.title,
                  description);
  drawing.set_setting(bars.setting);
  double top = 2;
  for (const auto& row : bars.rows) {
    if (left > 0) drawing.text(left - 8, top + 17, shortened(row.label), "label", Anchor::kEnd);
    double x = left;
    for (std::size_t i = 0; i < bars.names.size(); ++i) {
      const double share = row.parts[i] / sum_of(row.parts);
      if (share == 0) continue;
      const std::string words = fmt::format("{:.1f} %", kPercent * share);
      drawing.rectangle(x, top, share * room, kTall, series_class('s', i),
                        bars.names[i] + ": " + words);
      x += share * room;
    }
    top += kTall + 8;
  }
  draw_legend(&drawing, legend, 0, field);
  return drawing.svg(theme);
}

std::string stacked_bars_ascii(const StackedBars& bars) {
  std::string text;
  for (const auto& row : bars.rows) {
    if (bars.rows.size() > 1) text += row.label + "\n";
    Bars single{"", {}, kPercent, 0};
    for (std::size_t i = 0; i < bars.names.size(); ++i) {
      const double percent = kPercent * row.parts[i] / sum_of(row.parts);
      if (percent >= 0.05)
        single.rows.push_back({bars.names[i], percent, fmt::format("{:.1f} %", percent), 0});
    }
    text += bars_ascii(single);
  }
  return text;
}

}  // namespace tcsim::plot
