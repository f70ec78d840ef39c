#include "sim/tensor_file/strict_json.hpp"

#include <fmt/format.h>

#include "sim/config/error.hpp"
#include "sim/json/parse.hpp"

namespace tcsim::tensor_file {

nlohmann::json parse_strict_json(std::string_view text, std::string_view name, int most_levels) {
  constexpr std::size_t kMostTensors = 1'000'000;
  const std::string place = fmt::format("{}: header", name);
  tcsim::json::check_text(text, place, {.levels = most_levels, .keys_of_an_object = kMostTensors});
  nlohmann::json object = nlohmann::json::parse(text);
  if (!object.is_object()) throw config::ConfigError({place + ": expected a JSON object"});
  return object;
}

}  // namespace tcsim::tensor_file
