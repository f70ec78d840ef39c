#pragma once

#include <string>
#include <vector>

#include "sim/plot/drawing.hpp"

namespace tcsim::plot {

/// Quantities over time, one strip each under a common axis.
struct Strips {
  struct Row {
    std::string label;
    std::vector<double> values;  ///< one per interval, from 0 to 1; cut outside
    std::string full;            ///< what 1 means, "1555 GB/s"
  };
  std::string title;
  std::string axis;           ///< "microseconds"
  std::vector<double> edges;  ///< ends of the intervals, growing, > 0; the first starts at 0
  std::vector<Row> rows;
  std::string setting{};  ///< under the title of a file: the machine and what was changed in it
};

std::string strips_svg(const Strips& strips, Theme theme);
std::string strips_ascii(const Strips& strips);

}  // namespace tcsim::plot
