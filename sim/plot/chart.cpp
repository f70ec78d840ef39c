#include "sim/plot/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "sim/plot/marker.hpp"
#include "sim/text/outgoing.hpp"

namespace tcsim::plot {
namespace {

constexpr std::array<std::string_view, kSeriesColours> kColours{
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#999999"};
/// One for each round of the colours.
constexpr std::array<std::string_view, 6> kDashes{"none", "8 3", "2 2", "8 3 2 3", "14 4", "4 6"};
constexpr double kLegendWidth = 210;

std::string_view colour_of(std::size_t series) { return kColours[series % kColours.size()]; }
std::size_t round_of(std::size_t series) { return series / kColours.size(); }

/// 1, 2 or 5 times a power of ten, near `step`.
double round_step(double step) {
  const double decade = std::pow(10, std::floor(std::log10(step)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * decade >= step) return factor * decade;
  }
  return 10 * decade;
}

}  // namespace

Scale Scale::over(double least, double most, bool from_zero) {
  constexpr double kMost = 1e300;
  constexpr double kSame = 1e-9;  // of the larger number: closer ones have no ticks between them
  if (!(least <= most && std::abs(least) < kMost && std::abs(most) < kMost))
    throw std::invalid_argument("an axis needs finite numbers");
  if (from_zero) least = std::min(least, 0.0);
  const double span = std::max(std::abs(least), std::abs(most));
  if (most - least <= kSame * span || most - least < 1 / kMost)
    most = least + std::max(1.0, std::abs(least));
  const double step = round_step((most - least) / 6);
  return {std::floor(least / step) * step, std::ceil(most / step) * step, step};
}

std::vector<double> Scale::ticks() const {
  std::vector<double> values;
  const auto count = static_cast<int>(std::lround((last - first) / step));
  for (int i = 0; i <= count; ++i) values.push_back(first + i * step);
  return values;
}

std::string Scale::text_of(double tick) const {
  if (std::abs(tick) < step / 2) return "0";
  constexpr int kFewest = 6;  // as in tick_text
  const double digits = std::floor(std::log10(std::abs(tick))) - std::floor(std::log10(step)) + 1;
  return fmt::format("{:.{}g}", tick, std::max(kFewest, static_cast<int>(digits)));
}

std::string tick_text(double value) { return fmt::format("{:.6g}", value); }

std::string series_stroke(std::size_t index) {
  return fmt::format(R"(stroke="{}" stroke-dasharray="{}")", colour_of(index),
                     kDashes[round_of(index) % kDashes.size()]);
}

std::string series_mark(std::size_t index, double x, double y, double radius,
                        std::string_view tooltip) {
  return fmt::format("<path d=\"{}\" fill=\"{}\"><title>{}</title></path>\n",
                     marker(x, y, radius, round_of(index)), colour_of(index), text::xml(tooltip));
}

Chart::Chart(std::string title, std::string x_name, std::string y_name)
    : title_(std::move(title)), x_name_(std::move(x_name)), y_name_(std::move(y_name)) {}

void Chart::horizontal_grid(const Scale& scale) {
  for (const double tick : scale.ticks()) {
    const double height = y(scale.position(tick));
    add(fmt::format("<path d=\"M{:.1f} {:.1f}H{:.1f}\" stroke=\"#ddd\"/>\n", kLeft, height,
                    kLeft + kWidth));
    y_label(scale.position(tick), scale.text_of(tick));
  }
}

void Chart::vertical_grid(const Scale& scale) {
  for (const double tick : scale.ticks()) {
    add(fmt::format("<path d=\"M{:.1f} {:.1f}V{:.1f}\" stroke=\"#ddd\"/>\n",
                    x(scale.position(tick)), kTop, kTop + kHeight));
    x_label(scale.position(tick), scale.text_of(tick), false);
  }
}

void Chart::x_label(double position, std::string_view text, bool slanted) {
  const double baseline = kTop + kHeight + 18;
  if (!slanted) {
    add(fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                    x(position), baseline, text::xml(text)));
    return;
  }
  constexpr double kPixelsPerLetter = 4.6;  // of a slanted name, downwards
  below_ = std::max(below_, 50 + kPixelsPerLetter * static_cast<double>(text.size()));
  add(
      fmt::format("<text transform=\"translate({:.1f} {:.1f}) rotate(-40)\" "
                  "text-anchor=\"end\">{}</text>\n",
                  x(position), baseline, text::xml(text)));
}

void Chart::y_label(double position, std::string_view text) {
  constexpr double kPixelsPerLetter = 7.7;  // a digit of the widest common font
  constexpr double kAround = 36;            // the gap to the frame, and the name of the axis
  before_ =
      std::max(before_, kAround + kPixelsPerLetter * static_cast<double>(text.size()) - kLeft);
  add(fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", kLeft - 8,
                  y(position) + 4, text::xml(text)));
}

void Chart::legend(std::size_t index, std::string_view text, Swatch swatch) {
  constexpr double kRow = 20;
  constexpr double kSwatch = 26;
  const double left = kLeft + kWidth + 14;
  const double height = kTop + 12 + kRow * static_cast<double>(index);
  if (swatch == Swatch::kMark)
    add(series_mark(index, left + kSwatch / 2, height - 4, 5, text));
  else
    add(fmt::format("<path d=\"M{:.1f} {:.1f}h{}\" {} stroke-width=\"3\"/>\n", left, height - 4,
                    kSwatch, series_stroke(index)));
  add(fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", left + kSwatch + 5, height,
                  text::xml(text)));
  legend_below_ = height + kRow;
}

std::string Chart::svg() const {
  const double width = before_ + kLeft + kWidth + kLegendWidth;
  const double bottom = kTop + kHeight + below_;
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{9:.0f} 0 {0:.0f} {1:.0f}\" "
             "width=\"{0:.0f}\" height=\"{1:.0f}\" role=\"img\" font-family=\"sans-serif\" "
             "font-size=\"12\">\n<title>{2}</title>\n"
             "<rect x=\"{9:.0f}\" width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
             "<text x=\"{3:.0f}\" y=\"26\" font-size=\"16\">{2}</text>\n"
             "<text x=\"{4:.0f}\" y=\"{5:.0f}\" text-anchor=\"middle\">{6}</text>\n"
             "<text transform=\"translate({10:.0f} {7:.0f}) rotate(-90)\" "
             "text-anchor=\"middle\">{8}</text>\n",
             width, std::max(bottom, legend_below_), text::xml(title_), kLeft, kLeft + kWidth / 2,
             bottom - 10, text::xml(x_name_), kTop + kHeight / 2, text::xml(y_name_), 0 - before_,
             20 - before_) +
         body_ + "</svg>\n";
}

}  // namespace tcsim::plot
