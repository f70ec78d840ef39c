#pragma once

#include <string>
#include <string_view>

#include "sim/networks/imported.hpp"

namespace tcsim::networks {

/// The rows of a list of operations (docs/workloads.md, "Lists") as layers, each on an input of its
/// own. Formats of the rows are left to --precision. Throws InputError with every mistake.
Imported import_csv(std::string_view text, const std::string& file);

}  // namespace tcsim::networks
