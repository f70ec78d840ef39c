#pragma once

#include <string>
#include <vector>

#include "sim/cli/run_options.hpp"

namespace tcsim::cli {

/// True for the words of a network, "net:resnet50" and "net:FILE.yaml".
bool is_network(const std::string& workload);

/// Runs the network of `options.workload` on its one machine. Returns an exit status.
int run_network(const RunOptions& options, const std::vector<std::string>& command);

}  // namespace tcsim::cli
