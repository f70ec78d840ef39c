#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/plot/drawing.hpp"

namespace tcsim::plot {

/// What is done when: a lane per row under a common axis of time.
struct Lanes {
  struct Span {
    double start = 0;
    double end = 0;  ///< > start
    std::size_t series = 0;
    std::string words;  ///< what it is, for who points at it
  };
  struct Row {
    std::string label;
    std::vector<Span> spans;  ///< in order, without overlap
  };
  std::string title;
  std::string axis;  ///< "microseconds"
  double end = 1;    ///< of the axis, which starts at 0; > 0
  std::vector<Row> rows;
  std::vector<std::string> legend;  ///< one name per series
  std::string setting{};  ///< under the title of a file: the machine and what was changed in it
};

std::string lanes_svg(const Lanes& lanes, Theme theme);

/// The same for a terminal: a letter per series, that of the span that fills most of the column.
std::string lanes_ascii(const Lanes& lanes);

}  // namespace tcsim::plot
