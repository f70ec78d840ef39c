#pragma once

#include <string>
#include <vector>

#include "models/dram/params.hpp"

namespace tcsim::dram {

/// The reasons why Channel cannot use `params`, one sentence each that names the fields and repeats
/// their values; empty if there are none.
std::vector<std::string> validate(const DramParams& params, int memory_mhz);

}  // namespace tcsim::dram
