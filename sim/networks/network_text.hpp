#pragma once

#include <string>

#include "workloads/networks/network.hpp"

namespace tcsim::networks {

/// `network` as a file that read_network turns into the same network.
std::string network_yaml(const Network& network);

}  // namespace tcsim::networks
