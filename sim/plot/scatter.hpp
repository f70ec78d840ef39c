#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/plot/drawing.hpp"

namespace tcsim::plot {

/// One quantity against another of the same unit on the same logarithmic axes, with the diagonal.
struct Scatter {
  struct Dot {
    double x = 0;  ///< > 0
    double y = 0;  ///< > 0
    std::size_t series = 0;
    std::string tooltip;
  };
  std::string title;
  std::string x_name;  ///< with the unit
  std::string y_name;
  double band = 0;                  ///< around the diagonal, a share of x below 1: 0.1 for 10 %
  std::vector<Dot> dots;            ///< at least one
  std::vector<std::string> legend;  ///< one name per series
};

/// Each of kMarkers * Drawing::kSeries series has a colour and a shape of its own.
std::string scatter_svg(const Scatter& scatter, Theme theme);

}  // namespace tcsim::plot
