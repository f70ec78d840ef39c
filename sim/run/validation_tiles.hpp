#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/config/machine.hpp"
#include "sim/validate/measurement.hpp"

namespace tcsim::run {

/// The tiles other than the chosen one that the chooser ranks among the first `count` for `row`, as
/// words of `--tile`. None if there is no choice: the row names its tile, is not a matrix product
/// or implicit convolution, or the machine has no kernel for it.
std::vector<std::string> other_tiles(const validate::Measurement& row,
                                     const config::Machine& machine, std::size_t count);

}  // namespace tcsim::run
