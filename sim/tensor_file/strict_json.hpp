#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace tcsim::tensor_file {

/// The header of a tensor file, a JSON object with a member per tensor: what sim/json lets pass, in
/// a form whose members are found fast. Throws config::ConfigError, `name: header: reason`.
nlohmann::json parse_strict_json(std::string_view text, std::string_view name, int most_levels);

}  // namespace tcsim::tensor_file
