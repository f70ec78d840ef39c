#pragma once

#include <string>

#include "sim/config/peak.hpp"

namespace tcsim::report {

/// Rates with their formulas, bandwidths and ridge points as a JSON object of many lines. A rate
/// that the machine lacks is null.
std::string peak_json(const config::Peak& peak);

}  // namespace tcsim::report
