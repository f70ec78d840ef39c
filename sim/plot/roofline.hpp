#pragma once

#include <string>
#include <vector>

#include "sim/plot/drawing.hpp"

namespace tcsim::plot {

/// Rates against operations per byte, both axes logarithmic. All numbers are positive.
struct Roofline {
  struct Ceiling {
    std::string name;
    double tera_ops_per_s = 0;
  };
  struct Slope {
    std::string name;
    double gb_per_s = 0;
  };
  struct Dot {
    std::string name;
    double intensity = 0;  ///< operations per byte of the level that the dot belongs to
    double tera_ops_per_s = 0;
    std::size_t series = 0;
  };
  std::string title;
  std::vector<Ceiling> ceilings;  ///< at least one
  std::vector<Slope> slopes;      ///< at least one
  std::vector<Dot> dots;
  double best_intensity = 0;        ///< marked with a guide; 0: none
  std::vector<std::string> legend;  ///< one name per series
  std::string setting{};  ///< under the title of a file: the machine and what was changed in it
};

/// Adds `ceiling` unless it is there. Names of one rate share a line.
void add_ceiling(Roofline& roofline, const Roofline::Ceiling& ceiling);

/// What a machine with `ceiling` and `slope` attains at `intensity`, in 10^12 operations per
/// second.
double attainable(double tera_ops_per_s, double gb_per_s, double intensity);

std::string roofline_svg(const Roofline& roofline, Theme theme);

/// The same for a terminal: `/` slopes, `-` ceilings, letters for dots with a legend below.
std::string roofline_ascii(const Roofline& roofline);

}  // namespace tcsim::plot
