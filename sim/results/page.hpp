#pragma once

#include <string>

#include "sim/results/section.hpp"

namespace tcsim::results {

/// `document` as one HTML file that needs nothing else: style, scripts and pictures are inside.
/// Cells that hold a metric of stats.json carry its name and value as data-metric and data-value.
std::string page(const Document& document);

}  // namespace tcsim::results
