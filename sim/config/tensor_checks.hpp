#pragma once

#include <vector>

#include "sim/config/machine_checks.hpp"

namespace tcsim::config {

/// Rules between the keys of sm.tensor: rates, the instructions that need them, cores.
std::vector<MachineCheck> tensor_checks();

}  // namespace tcsim::config
