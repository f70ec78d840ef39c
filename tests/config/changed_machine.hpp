#pragma once

#include <string>
#include <vector>

#include "sim/config/machine_reader.hpp"
#include "sim/config/schema.hpp"

namespace tcsim::config {

/// The A100 with `overrides`, valid, in which `key` has another value than in `setting`. Throws
/// std::runtime_error if no other value is accepted.
MachineFile changed_a100(const Key& key, const Setting& setting,
                         const std::vector<std::string>& overrides = {});

}  // namespace tcsim::config
