#pragma once

#include <string>
#include <string_view>

#include "sim/networks/imported.hpp"

namespace tcsim::networks {

/// The rows of a list of operations (docs/workloads.md, "Lists") as layers, each with its own
/// input. --precision sets the formats. Throws InputError with every mistake.
Imported import_csv(std::string_view text, const std::string& file);

}  // namespace tcsim::networks
