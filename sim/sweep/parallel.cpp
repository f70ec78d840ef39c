#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "sim/plot/chart.hpp"
#include "sim/sweep/plot_data.hpp"
#include "sim/sweep/plots.hpp"
#include "sim/sweep/positions.hpp"
#include "sim/text/outgoing.hpp"

namespace tcsim::sweep {

using plot::Chart;
using plot::series_stroke;
using plot::Swatch;

namespace {

/// One upright axis: a parameter or a metric, by numbers or by words.
class UprightAxis {
 public:
  UprightAxis(std::string name, const std::vector<const Total*>& totals)
      : name_(std::move(name)),
        title_(find_value(totals.front()->parameters, name_) != nullptr ? name_
                                                                        : metric_title(name_)),
        positions_(words_of(totals), /*from_zero=*/false) {}

  /// From 0 at the bottom to 1.
  [[nodiscard]] double position(const Total& total) const { return positions_.of(text_of(total)); }

  /// As axis `index` at the position `at` from 0 to 1; `room` pixels right of the one before.
  void draw(Chart& chart, double at, std::size_t index, double room) const {
    const double left = Chart::x(at);
    chart.add(
        fmt::format("<g class=\"axis\" data-x=\"{0:.1f}\"><path d=\"M{0:.1f} {1:.1f}V{2:.1f}\" "
                    "stroke=\"#555\"/>\n",
                    left, Chart::y(1), Chart::y(0)));
    if (positions_.numeric()) {
      for (const double tick : positions_.scale().ticks())
        label(chart, at, positions_.scale().position(tick), positions_.scale().text_of(tick),
              std::string::npos);
    } else {
      for (const std::string& word : positions_.values())
        label(chart, at, positions_.of(word), word, letters_in(room));
    }
    constexpr double kRow = 16;  // names of neighbours stand on two lines, so that they do not meet
    chart.add(fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" "
        "font-weight=\"bold\">{}</text></g>\n",
        left, Chart::y(0) + kRow * static_cast<double>(1 + index % 2), text::xml(title_)));
  }

 private:
  [[nodiscard]] std::string text_of(const Total& total) const {
    if (const std::string* value = find_value(total.parameters, name_)) return *value;
    return fmt::format("{}", metric_of(total, name_));
  }

  /// Those of `totals` in their order, each once.
  [[nodiscard]] std::vector<std::string> words_of(const std::vector<const Total*>& totals) const {
    std::vector<std::string> words;
    for (const Total* total : totals) {
      std::string word = text_of(*total);
      if (std::ranges::find(words, word) == words.end()) words.push_back(std::move(word));
    }
    return words;
  }

  /// How many letters of a label fit between two axes that are `room` pixels apart.
  static std::size_t letters_in(double room) {
    constexpr double kPixelsPerLetter = 6.2;
    constexpr double kGaps = 10;
    constexpr double kLeast = 4;
    return static_cast<std::size_t>(std::max(kLeast, (room - kGaps) / kPixelsPerLetter));
  }

  /// Left of the axis, as the legend is right of the last one; at most `letters` of it, unless it
  /// stands before the first, where there is room for all.
  static void label(Chart& chart, double at, double position, const std::string& text,
                    std::size_t letters) {
    if (at == 0) {
      chart.y_label(position, text);
      return;
    }
    const std::string shown = text::shortened(text, letters);
    chart.add(fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\" font-size=\"10\" stroke=\"#fff\" "
        "stroke-width=\"3\" paint-order=\"stroke\">{}{}</text>\n",
        Chart::x(at) - 5, Chart::y(position) + 3,
        shown == text ? "" : fmt::format("<title>{}</title>", text::xml(text)), text::xml(shown)));
  }

  std::string name_;
  std::string title_;
  Positions positions_;
};

std::size_t index_of(const std::vector<std::string>& values, const std::string& value) {
  return static_cast<std::size_t>(std::find(values.begin(), values.end(), value) - values.begin());
}

}  // namespace

std::string parallel_svg(const PlotRequest& plot, const std::vector<Total>& totals) {
  const std::vector<const Total*> shown = chosen(plot, totals);
  if (plot.axes.size() < 2)
    throw std::invalid_argument("parallel coordinates need two axes or more");
  std::vector<UprightAxis> axes;
  for (const std::string& name : plot.axes) axes.emplace_back(name, shown);
  const auto place = [&](std::size_t index) {
    return static_cast<double>(index) / static_cast<double>(axes.size() - 1);
  };
  const std::vector<std::string> series = values_in(shown, plot.series);
  Chart chart(title_of(plot, "All configurations"), "", "");
  for (const Total* total : shown) {
    std::string path;
    std::string positions;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const double position = axes[i].position(*total);
      path += fmt::format("{}{:.1f} {:.1f}", i == 0 ? "M" : "L", Chart::x(place(i)),
                          Chart::y(position));
      positions += fmt::format("{}{:.4f}", i == 0 ? "" : " ", position);
    }
    const std::size_t of_series =
        plot.series.empty() ? 0 : index_of(series, value_of(total->parameters, plot.series));
    chart.add(
        fmt::format("<path class=\"line\" data-row=\"{}\" data-at=\"{}\" d=\"{}\" fill=\"none\" {} "
                    "stroke-width=\"1.5\" stroke-opacity=\"0.75\"><title>{}</title></path>\n",
                    total->configuration, positions, path, series_stroke(of_series),
                    text::xml(label_of(total->parameters))));
  }
  for (std::size_t i = 0; i < axes.size(); ++i)
    axes[i].draw(chart, place(i), i, place(1) * Chart::kWidth);
  if (!plot.series.empty()) {
    for (std::size_t i = 0; i < series.size(); ++i)
      chart.legend(i, plot.series + " " + series[i], Swatch::kLine);
  }
  return chart.svg();
}

}  // namespace tcsim::sweep
