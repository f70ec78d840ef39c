#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace tcsim::labs {

/// The value at `path` of `json`: keys, indices and conditions on array elements, each after a
/// slash, for example "/rates/unit=tensor&dtype=fp16/tera_ops_per_s". The first element that meets
/// all conditions counts. Null if there is none.
nlohmann::json value_at(const nlohmann::json& json, const std::string& path);

}  // namespace tcsim::labs
