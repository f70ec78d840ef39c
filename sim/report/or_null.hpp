#pragma once

#include <nlohmann/json.hpp>
#include <optional>

namespace tcsim::report {

/// The number, or null in its place.
inline nlohmann::ordered_json or_null(std::optional<double> value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

}  // namespace tcsim::report
