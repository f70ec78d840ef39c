#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace tcsim::tensor_file {

/// Parses one JSON object. A key given twice in one object, values nested deeper than
/// `most_levels` and text that is no JSON object throw config::ConfigError, `name: reason`.
nlohmann::json parse_strict_json(std::string_view text, std::string_view name, int most_levels);

}  // namespace tcsim::tensor_file
