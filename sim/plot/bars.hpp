#pragma once

#include <string>
#include <vector>

#include "sim/plot/drawing.hpp"

namespace tcsim::plot {

/// Horizontal bars from zero.
struct Bars {
  struct Row {
    std::string label;
    double value = 0;  ///< >= 0
    std::string text;  ///< the value for people, "83.1 %"
    std::size_t series = 0;
  };
  std::string title;
  std::vector<Row> rows;
  double most = 1;                    ///< of the axis, > 0; longer bars are cut
  double reference = 0;               ///< a guide there; 0: none
  std::vector<std::string> legend{};  ///< one name per series, or none
};

std::string bars_svg(const Bars& bars, Theme theme);
std::string bars_ascii(const Bars& bars);

/// Bars that are cut into parts; each row is drawn over the whole width.
struct StackedBars {
  struct Row {
    std::string label;
    std::vector<double> parts;  ///< one per name, >= 0, adding up to more than 0
  };
  std::string title;
  std::vector<std::string> names;
  std::vector<Row> rows;
  std::string setting{};  ///< under the title of a file: the machine and what was changed in it
};

std::string stacked_bars_svg(const StackedBars& bars, Theme theme);
std::string stacked_bars_ascii(const StackedBars& bars);

}  // namespace tcsim::plot
