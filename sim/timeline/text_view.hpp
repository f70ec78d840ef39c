#pragma once

#include <string>

#include "sim/timeline/record.hpp"

namespace tcsim::timeline {

/// One row per instruction and one column per cycle, sub-core after sub-core, with a legend, what
/// each instruction waited for, and how busy issue slot and tensor core were.
std::string text_view(const Timeline& timeline);

}  // namespace tcsim::timeline
