#include "sim/plot/drawing.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "sim/plot/chart.hpp"
#include "sim/text/outgoing.hpp"

namespace tcsim::plot {
namespace {

// Okabe and Ito's colours, tints of them, and a dark red.
constexpr std::array<std::string_view, Drawing::kSeries> kFills{
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#7a5195", "#8c8c8c",
    "#b3a125", "#004d80", "#99d8c4", "#f4b183", "#e3bcd4", "#c9c9c9", "#700000"};

std::string_view anchor_word(Anchor anchor) {
  switch (anchor) {
    case Anchor::kStart:
      return "start";
    case Anchor::kMiddle:
      return "middle";
    case Anchor::kEnd:
      return "end";
  }
  return "start";
}

std::string with_tooltip(std::string_view element, std::string_view tooltip) {
  if (tooltip.empty()) return fmt::format("<{}/>\n", element);
  const std::string_view name = element.substr(0, element.find(' '));
  return fmt::format("<{}><title>{}</title></{}>\n", element, text::xml(tooltip), name);
}

std::string style_sheet() {
  std::string style =
      "text{font:12px sans-serif;fill:#222}.strong{font-weight:bold}.small{font-size:11px}"
      ".halo{paint-order:stroke;stroke:#fff;stroke-width:4px}"
      ".grid{stroke:#ddd}.frame{stroke:#777;fill:none}.ceiling{stroke:#222;stroke-width:1.6}"
      ".heading{font-size:16px}.slope{stroke:#777;stroke-width:1.4}.track{fill:#eee}.guide{stroke:#"
      "777;stroke-dasharray:"
      "4 4}.inside{fill:#fff}.dot{fill-opacity:.8}\n";
  for (std::size_t i = 0; i < kFills.size(); ++i)
    style += fmt::format(".s{0}{{fill:{1}}}.l{0}{{stroke:{1};fill:none;stroke-width:1.8}}\n", i,
                         kFills[i]);
  return style;
}

}  // namespace

Drawing::Drawing(double width, double height, std::string title, std::string description)
    : width_(width),
      height_(height),
      title_(std::move(title)),
      description_(std::move(description)) {}

void Drawing::line(double x1, double y1, double x2, double y2, std::string_view style) {
  body_ +=
      fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n",
                  x1, y1, x2, y2, style);
}

void Drawing::path(std::string_view data, std::string_view style, std::string_view tooltip) {
  body_ += with_tooltip(fmt::format(R"(path d="{}" class="{}")", data, style), tooltip);
}

void Drawing::rectangle(double x, double y, double width, double height, std::string_view style,
                        std::string_view tooltip) {
  body_ += with_tooltip(
      fmt::format(R"(rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" class="{}")", x, y,
                  width, height, style),
      tooltip);
}

void Drawing::circle(double x, double y, double radius, std::string_view style,
                     std::string_view tooltip) {
  body_ += with_tooltip(
      fmt::format(R"(circle cx="{:.1f}" cy="{:.1f}" r="{:.1f}" class="{}")", x, y, radius, style),
      tooltip);
}

void Drawing::text(double x, double y, std::string_view words, std::string_view style,
                   Anchor anchor) {
  body_ +=
      fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\" text-anchor=\"{}\">{}</text>\n", x,
                  y, style, anchor_word(anchor), text::xml(words));
}

void Drawing::turned_text(double x, double y, double degrees, std::string_view words,
                          std::string_view style, Anchor anchor) {
  body_ += fmt::format(
      "<text transform=\"translate({:.1f} {:.1f}) rotate({:.1f})\" class=\"{}\" "
      "text-anchor=\"{}\">{}</text>\n",
      x, y, degrees, style, anchor_word(anchor), text::xml(words));
}

std::string Drawing::svg(Theme theme) const {
  const std::string words = fmt::format("<title>{}</title>\n<desc>{}</desc>\n", text::xml(title_),
                                        text::xml(description_));
  if (theme == Theme::kPage)
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\">\n"
        "{}{}</svg>\n",
        width_, height_, words, body_);
  constexpr double kMargin = 16;
  constexpr double kHeading = 40;
  constexpr double kSecondLine = 18;
  constexpr double kLetter = 6;  // of a label
  const double heading = kHeading + (setting_.empty() ? 0 : kSecondLine);
  const double width = width_ + 2 * kMargin;
  const double height = height_ + heading + kMargin;
  std::string second;
  if (!setting_.empty())
    second = fmt::format(
        "<text x=\"0\" y=\"-16\" class=\"label\">{}</text>\n",
        text::xml(text::shortened(setting_, static_cast<std::size_t>(width_ / kLetter))));
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{0:.0f} {1:.0f} {2:.0f} {3:.0f}\" "
      "width=\"{2:.0f}\" height=\"{3:.0f}\" role=\"img\">\n{4}<style>{5}</style>\n"
      "<rect x=\"{0:.0f}\" y=\"{1:.0f}\" width=\"{2:.0f}\" height=\"{3:.0f}\" fill=\"#fff\"/>\n"
      "<text x=\"0\" y=\"{6:.0f}\" class=\"heading\">{7}</text>\n{8}{9}</svg>\n",
      -kMargin, -heading, width, height, words, style_sheet(), 24 - heading, text::xml(title_),
      second, body_);
}

std::string series_class(char kind, std::size_t index) {
  return fmt::format("{}{}", kind, index % Drawing::kSeries);
}

}  // namespace tcsim::plot
