#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace tcsim::networks {

/// Sizes that symbolic dimensions of a model get.
struct ImportSizes {
  std::int64_t batch = 1;                            ///< of a symbolic first dimension
  std::map<std::string, std::int64_t> dimensions{};  ///< of others by name
};

}  // namespace tcsim::networks
