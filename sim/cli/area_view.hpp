#pragma once

#include <string>
#include <vector>

#include "sim/cli/table.hpp"

namespace tcsim::cli {

/// The areas of `machine` by unit, if its chip is known, and the cells of its tensor core.
std::string area_of_machine(const std::string& machine, const std::vector<std::string>& overrides,
                            Format format);

}  // namespace tcsim::cli
