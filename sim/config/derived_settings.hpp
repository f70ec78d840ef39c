#pragma once

#include <string>
#include <vector>

#include "sim/config/machine_reader.hpp"

namespace tcsim::config {

/// Puts numbers in the place of the word `derived`, where the machine has one. Requires a machine
/// without mistakes.
void resolve_derived(const Machine& machine, std::vector<Setting>& settings);

}  // namespace tcsim::config
