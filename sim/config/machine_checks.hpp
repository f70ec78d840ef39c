#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/config/machine.hpp"

namespace tcsim::config {

/// A rule between values of a machine. `problem` is empty if the rule holds; otherwise it names the
/// other key and both values. It may be called only if every key in `keys` was read. Mistakes are
/// reported at the first key, with the --set options that changed others.
struct MachineCheck {
  std::vector<std::string> keys;
  std::function<std::string(const Machine&)> problem;
};

const std::vector<MachineCheck>& machine_checks();

}  // namespace tcsim::config
