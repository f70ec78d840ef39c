#include "sim/tensor_file/strict_json.hpp"

#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

#include "sim/config/error.hpp"
#include "sim/tensor_file/shown_word.hpp"

namespace tcsim::tensor_file {
namespace {

using nlohmann::json;

config::ConfigError mistake(std::string_view name, const std::string& reason) {
  return config::ConfigError({fmt::format("{}: header: {}", name, reason)});
}

}  // namespace

json parse_strict_json(std::string_view text, std::string_view name, int most_levels) {
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  const auto check = [&](int depth, json::parse_event_t event, json& value) {
    if (depth > most_levels) throw mistake(name, fmt::format("nested deeper than {}", most_levels));
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key) {
      const auto& key = value.get_ref<const std::string&>();
      if (!keys.back().insert(key).second)
        throw mistake(name, fmt::format("{}: given twice", shown_word(key)));
    }
    return true;
  };
  try {
    json object = json::parse(text, check);
    if (object.is_object()) return object;
  } catch (const json::exception& problem) {
    throw mistake(name, fmt::format("no JSON object: {}", shown_word(problem.what())));
  }
  throw mistake(name, "expected a JSON object");
}

}  // namespace tcsim::tensor_file
