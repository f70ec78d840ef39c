#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/files/escaped_text.hpp"

namespace tcsim::files {

/// `json` with every string and key replaced by escaped_text of it.
template <typename Json>
Json with_escaped_texts(const Json& json) {
  if (json.is_string()) return escaped_text(json.template get_ref<const std::string&>());
  Json result = json;
  if (json.is_object()) {
    result = Json::object();
    for (const auto& [key, value] : json.items())
      result[escaped_text(key)] = with_escaped_texts(value);
  } else if (json.is_array()) {
    for (Json& value : result) value = with_escaped_texts(value);
  }
  return result;
}

/// The only way in which JSON becomes text. File names and command words, which may be any bytes,
/// are escaped, so that they cannot invalidate the document. `indent` as for nlohmann's dump.
template <typename Json>
std::string json_text(const Json& json, int indent = -1) {
  try {
    return json.dump(indent);
  } catch (const typename Json::type_error&) {  // a string is not UTF-8
    return with_escaped_texts(json).dump(indent);
  }
}

}  // namespace tcsim::files
