#pragma once

#include <string>
#include <vector>

#include "sim/sweep/points.hpp"

namespace tcsim::sweep {

/// The names in braces in `text`, in order.
std::vector<std::string> names_in(const std::string& text);

/// `text` with every "{name}" replaced by its value. Requires that `parameters` has all of them.
std::string replaced(const std::string& text, const Parameters& parameters);

}  // namespace tcsim::sweep
