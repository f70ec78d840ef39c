#pragma once

#include <filesystem>
#include <string>

#include "sim/results/stored_run.hpp"

namespace tcsim::results {

/// A run of a network as its directory holds it.
struct StoredNetwork {
  std::string name;
  View network;  ///< network.json
  View manifest;
  bool verified = true;  ///< as StoredRun::verified
};

/// True if `directory` holds the run of a network (network.json).
bool is_network(const std::filesystem::path& directory);

/// A network from documents in memory, checked as one in files, but for checksums.
StoredNetwork network_of(const std::string& name, const View& network, const View& manifest);

/// Reads and checks as load_run. Throws as that.
StoredNetwork load_network(const std::filesystem::path& directory);

}  // namespace tcsim::results
