#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace tcsim::networks {

/// Sizes for the symbolic dimensions of a model.
struct ImportSizes {
  std::optional<std::int64_t> batch{};               ///< of a symbolic first dimension; absent: 1
  std::map<std::string, std::int64_t> dimensions{};  ///< of others by name
};

}  // namespace tcsim::networks
