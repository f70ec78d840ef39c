#pragma once

#include <string>
#include <vector>

#include "sim/cli/run_options.hpp"

namespace tcsim::cli {

/// Runs the network of `options.request` on its one machine. Returns an exit status.
int run_network(const RunOptions& options, const std::vector<std::string>& command);

}  // namespace tcsim::cli
