#pragma once

#include <optional>
#include <string_view>

#include "sim/stats/values.hpp"

namespace tcsim::stats {

/// The value of `formula`: numbers and names of `values` joined by + - * /, parentheses and the
/// largest of several, max(a, b, c), for example "sub_core.tensor_busy_cycles / (cycles *
/// sub_core.instances)". Nothing if a name has no value in this run or a divisor is zero. Throws
/// InternalError if the formula is malformed or uses a name that nobody provides.
std::optional<double> evaluate(std::string_view formula, const Values& values);

}  // namespace tcsim::stats
