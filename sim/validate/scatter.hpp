#pragma once

#include <string>
#include <vector>

#include "sim/validate/score.hpp"

namespace tcsim::validate {

/// Simulated over measured time as a self-contained SVG: logarithmic axes, the diagonal, the band
/// of 10 %, one colour and shape per GPU and type. Requires at least one row.
std::string scatter_svg(const std::vector<Comparison>& rows);

}  // namespace tcsim::validate
