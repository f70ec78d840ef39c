#pragma once

#include <vector>

#include "sim/config/machine_checks.hpp"

namespace tcsim::config {

/// Checks that each key `replacement` names a policy that works with the ways of its caches.
std::vector<MachineCheck> replacement_checks();

}  // namespace tcsim::config
