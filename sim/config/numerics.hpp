#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/numerics/tensor_arithmetic.hpp"
#include "sim/config/machine.hpp"
#include "sim/config/machine_checks.hpp"

namespace tcsim::config {

/// The arithmetic of the machine's tensor cores. Requires a machine that has been checked.
numerics::TensorArithmetic tensor_arithmetic(const Machine& machine);

/// The arithmetic that section `numerics` of the YAML file describes: a machine file, which may
/// build on another one, or a file that has only this section and names its `base`. Throws
/// ConfigError with every mistake in the section, IoError if the file cannot be read.
numerics::TensorArithmetic read_numerics(const std::string& file);

/// Rules of the section.
std::vector<MachineCheck> numerics_checks();

}  // namespace tcsim::config
