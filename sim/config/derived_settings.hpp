#pragma once

#include <string>
#include <vector>

#include "sim/config/machine_reader.hpp"

namespace tcsim::config {

/// Replaces each word `derived` of the machine by its number. Requires a machine without mistakes.
void resolve_derived(const Machine& machine, std::vector<Setting>& settings);

}  // namespace tcsim::config
