#pragma once

#include <string>
#include <vector>

#include "models/dram/params.hpp"

namespace tcsim::dram {

/// What makes `params` unusable by Channel, one sentence each that names the fields and repeats
/// their values; empty when they are usable.
std::vector<std::string> validate(const DramParams& params, int memory_mhz);

}  // namespace tcsim::dram
