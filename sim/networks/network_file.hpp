#pragma once

#include <string>
#include <vector>

#include "workloads/networks/network.hpp"

namespace tcsim::networks {

/// The network of a file (docs/networks.md): a path, or the name of one that tcsim ships. Throws
/// config::ConfigError with every mistake, IoError if the file cannot be read.
Network load_network(const std::string& name_or_path);

/// The same from `text`; `file` names it in messages.
Network read_network(const std::string& file, const std::string& text);

/// Names that load_network knows.
std::vector<std::string> network_names();
/// True for one of these names, even if a file of that name exists.
bool is_shipped(const std::string& name);

}  // namespace tcsim::networks
