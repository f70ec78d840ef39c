#pragma once

#include <string>
#include <vector>

#include "sim/config/machine_reader.hpp"

namespace tcsim::config {

/// `settings` as the text of a machine file, in their order, each with its source behind it. Of all
/// settings of a machine the text is complete, and read_machine_text gives the same machine.
std::string machine_text(const std::vector<Setting>& settings);

}  // namespace tcsim::config
