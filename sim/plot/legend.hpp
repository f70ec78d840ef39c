#pragma once

#include <string>
#include <vector>

#include "sim/plot/drawing.hpp"

namespace tcsim::plot {

/// Draws names with the colours of their series in as many lines as a picture of kPictureWidth
/// needs, from `left` on, empty ones left out. Returns the height below `top`, 0 without names. A
/// null `drawing` is only measured.
double draw_legend(Drawing* drawing, const std::vector<std::string>& names, double left,
                   double top);

}  // namespace tcsim::plot
