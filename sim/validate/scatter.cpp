#include "sim/validate/scatter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace tcsim::validate {
namespace {

constexpr double kSide = 560;  // of the plot
constexpr double kLeft = 80;
constexpr double kTop = 50;
constexpr double kLegendWidth = 250;

// Okabe and Ito's colours, which readers with colour-blindness tell apart.
constexpr std::array<std::string_view, 8> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                      "#56b4e9", "#e69f00", "#000000", "#999999"};

/// Decades that hold every time.
struct Axis {
  int first;
  int last;

  [[nodiscard]] double position(double time_us) const {
    return (std::log10(time_us) - first) / (last - first) * kSide;
  }
};

Axis axis_of(const std::vector<Comparison>& rows) {
  double least = rows.front().measurement.time_us;
  double most = least;
  for (const Comparison& row : rows) {
    least = std::min({least, row.measurement.time_us, row.simulated_us});
    most = std::max({most, row.measurement.time_us, row.simulated_us});
  }
  const int first = static_cast<int>(std::floor(std::log10(least)));
  return {first, std::max(first + 1, static_cast<int>(std::ceil(std::log10(most))))};
}

std::string decade_name(int decade) {
  if (decade < 3) return fmt::format("{:g} us", std::pow(10, decade));
  if (decade < 6) return fmt::format("{:g} ms", std::pow(10, decade - 3));
  return fmt::format("{:g} s", std::pow(10, decade - 6));
}

std::string grid(const Axis& axis) {
  std::string text;
  for (int decade = axis.first; decade <= axis.last; ++decade) {
    const double offset = axis.position(std::pow(10, decade));
    const double x = kLeft + offset;
    const double y = kTop + kSide - offset;
    text += fmt::format(
        "<path d=\"M{:.1f} {:.1f}V{:.1f}M{:.1f} {:.1f}H{:.1f}\" stroke=\"#ddd\"/>\n"
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n"
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
        x, kTop, kTop + kSide, kLeft, y, kLeft + kSide, x, kTop + kSide + 20, decade_name(decade),
        kLeft - 8, y + 4, decade_name(decade));
  }
  return text;
}

/// The band of 10 % around the diagonal, cut at the edges of the plot.
std::string band(const Axis& axis) {
  const double width = std::log10(1.1) / (axis.last - axis.first) * kSide;
  const double right = kLeft + kSide;
  const double bottom = kTop + kSide;
  return fmt::format(
      "<path d=\"M{0:.1f} {1:.1f}L{0:.1f} {2:.1f}L{3:.1f} {4:.1f}H{5:.1f}V{6:.1f}L{7:.1f} "
      "{1:.1f}Z\" "
      "fill=\"#bbb\" fill-opacity=\"0.35\"/>\n"
      "<path d=\"M{0:.1f} {1:.1f}L{5:.1f} {4:.1f}\" stroke=\"#666\"/>\n",
      kLeft, bottom, bottom - width, right - width, kTop, right, kTop + width, kLeft + width);
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '<') {
      result += "&lt;";
    } else if (c == '&') {
      result += "&amp;";
    } else {
      result += c;
    }
  }
  return result;
}

std::string dot(const Comparison& row, const Axis& axis, std::string_view colour) {
  return fmt::format(
      "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\" fill-opacity=\"0.7\">"
      "<title>{} on {}: measured {:.4g} us, simulated {:.4g} us ({:+.1f} %)</title></circle>\n",
      kLeft + axis.position(row.measurement.time_us),
      kTop + kSide - axis.position(row.simulated_us), colour, escaped(row.measurement.workload),
      escaped(row.measurement.gpu), row.measurement.time_us, row.simulated_us, row.error_percent());
}

}  // namespace

std::string scatter_svg(const std::vector<Comparison>& rows) {
  const Axis axis = axis_of(rows);
  std::map<std::string, std::vector<const Comparison*>> series;
  for (const Comparison& row : rows)
    series[row.measurement.gpu + " " + row.measurement.dtype].push_back(&row);
  const double width = kLeft + kSide + kLegendWidth;
  const double height = kTop + kSide + 60;
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" role=\"img\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<title>Simulated over measured time of {2} kernels</title>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
      "<text x=\"{3:.0f}\" y=\"24\" font-size=\"16\">Simulated over measured time, {2} kernels, "
      "band "
      "of 10 %</text>\n",
      width, height, rows.size(), kLeft);
  text += grid(axis) + band(axis);
  text += fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"middle\">measured</text>\n",
                      kLeft + kSide / 2, kTop + kSide + 44);
  text += fmt::format(
      "<text transform=\"translate(18 {:.0f}) rotate(-90)\" "
      "text-anchor=\"middle\">simulated</text>\n",
      kTop + kSide / 2);
  std::size_t index = 0;
  for (const auto& [name, members] : series) {
    const std::string_view colour = kColours[index % kColours.size()];
    for (const Comparison* row : members) text += dot(*row, axis, colour);
    const double y = kTop + 10 + 20 * static_cast<double>(index++);
    text += fmt::format(
        "<circle cx=\"{0:.0f}\" cy=\"{1:.0f}\" r=\"4\" fill=\"{2}\"/>\n"
        "<text x=\"{3:.0f}\" y=\"{4:.0f}\">{5} ({6})</text>\n",
        kLeft + kSide + 24, y, colour, kLeft + kSide + 34, y + 4, escaped(name), members.size());
  }
  return text + "</svg>\n";
}

}  // namespace tcsim::validate
