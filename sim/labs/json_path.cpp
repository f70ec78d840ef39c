#include "sim/labs/json_path.hpp"

#include <algorithm>
#include <sstream>

#include "sim/files/json_text.hpp"
#include "sim/text/number.hpp"

namespace tcsim::labs {
namespace {

using Json = nlohmann::json;

bool meets(const Json& element, const std::string& conditions) {
  std::istringstream parts(conditions);
  for (std::string part; std::getline(parts, part, '&');) {
    const std::size_t equals = part.find('=');
    const Json value = element.is_object() ? element.value(part.substr(0, equals), Json{}) : Json{};
    const std::string text = value.is_string() ? value.get<std::string>() : files::json_text(value);
    if (equals == std::string::npos || text != part.substr(equals + 1)) return false;
  }
  return true;
}

const Json* element_of(const Json& json, const std::string& step) {
  if (json.is_object()) {
    const auto member = json.find(step);
    return member == json.end() ? nullptr : &*member;
  }
  if (!json.is_array()) return nullptr;
  if (const auto index = text::finite_number_of(step); index && *index >= 0) {
    const auto at = static_cast<std::size_t>(*index);
    return at < json.size() ? &json[at] : nullptr;
  }
  const auto found =
      std::ranges::find_if(json, [&](const Json& element) { return meets(element, step); });
  return found == json.end() ? nullptr : &*found;
}

}  // namespace

Json value_at(const Json& json, const std::string& path) {
  const Json* at = &json;
  std::istringstream steps(path);
  for (std::string step; at != nullptr && std::getline(steps, step, '/');)
    if (!step.empty()) at = element_of(*at, step);
  return at == nullptr ? Json{} : *at;
}

}  // namespace tcsim::labs
