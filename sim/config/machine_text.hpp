#pragma once

#include <string>
#include <vector>

#include "sim/config/machine_reader.hpp"

namespace tcsim::config {

/// `settings` as the text of a machine file, in their order, each followed by its source. With all
/// settings of a machine the text is complete, and read_machine_text returns the same machine.
std::string machine_text(const std::vector<Setting>& settings);

}  // namespace tcsim::config
