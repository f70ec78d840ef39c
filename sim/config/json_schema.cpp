#include "sim/config/json_schema.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <string>

#include "sim/config/number.hpp"
#include "sim/config/schema.hpp"

namespace tcsim::config {
namespace {

using Json = nlohmann::ordered_json;

/// Bounds as integers where they are, so that the schema reads 1 and not 1.0.
Json bound(double value) {
  if (value == static_cast<double>(static_cast<long long>(value)))
    return static_cast<long long>(value);
  return value;
}

Json number_schema(std::string_view type, std::string_view unit, double min, double max) {
  Json plain{{"type", type}, {"minimum", bound(min)}, {"maximum", bound(max)}};
  if (unit.empty()) return plain;
  std::string units = accepted_units(unit);
  for (std::size_t comma; (comma = units.find(", ")) != std::string::npos;)
    units.replace(comma, 2, "|");
  const Json with_unit{{"type", "string"}, {"pattern", fmt::format("^[0-9.]+ *({})$", units)}};
  return {{"anyOf", Json::array({plain, with_unit})}};
}

Json derivable_schema(std::string_view unit, double min, double max) {
  Json schema = number_schema("integer", unit, min, max);
  if (!schema.contains("anyOf")) schema = {{"anyOf", Json::array({schema})}};
  schema["anyOf"].push_back({{"const", kDerived}});
  return schema;
}

Json instructions_schema() {
  Json properties = Json::object();
  for (const InstructionKey& key : instruction_keys()) {
    Json row = derivable_schema(key.unit, key.min, key.max);
    row["description"] = key.sentence;
    properties[std::string(key.name)] = row;
  }
  return {{"type", "object"},
          {"propertyNames", {{"enum", mma_mnemonics()}}},
          {"additionalProperties",
           {{"type", "object"}, {"additionalProperties", false}, {"properties", properties}}}};
}

Json key_schema(const Key& key) {
  const std::string_view kind = kind_name(key);
  Json schema;
  if (kind == "integer" || kind == "number") {
    schema = number_schema(kind, key.unit, key.min, key.max);
  } else if (kind == "list of integers") {
    schema = {{"type", "array"},
              {"minItems", 1},
              {"maxItems", kMaxListItems},
              {"items", number_schema("integer", key.unit, key.min, key.max)}};
  } else if (kind == "list of texts") {
    schema = {{"type", "array"}, {"maxItems", kMaxListItems}, {"items", {{"type", "string"}}}};
  } else if (kind == "integer or derived") {
    schema = derivable_schema(key.unit, key.min, key.max);
  } else if (kind == "shape") {
    schema = {{"type", "string"}, {"pattern", "^[1-9][0-9]*x[1-9][0-9]*x[1-9][0-9]*$"}};
  } else if (kind == "text") {
    schema = {{"type", "string"}};
    if (!key.words.empty()) schema["enum"] = allowed_words(key);
  } else {
    schema = instructions_schema();
  }
  schema["description"] =
      key.unit.empty() ? std::string(key.sentence) : fmt::format("{} [{}]", key.sentence, key.unit);
  return schema;
}

/// Whether a section has a key that must be given.
bool is_required(const std::string& section) {
  for (const Key& key : keys())
    if (key.path.starts_with(section + ".") && key.fallback.empty()) return true;
  return section == kInstructionsPath;
}

std::string child_path(const std::string& path, std::string_view name) {
  return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
}

/// What a section may hold.
Json section_schema(const std::string& path) {
  Json properties = Json::object();
  for (const std::string_view name : children(path)) {
    const std::string child = child_path(path, name);
    const Key* key = find_key(child);
    properties[std::string(name)] = key != nullptr ? key_schema(*key) : section_schema(child);
  }
  Json schema{{"type", "object"}, {"additionalProperties", false}, {"properties", properties}};
  for (const Section& section : sections())
    if (section.path == path) schema["description"] = section.sentence;
  return schema;
}

/// What a section must hold in a file without a base.
Json required_schema(const std::string& path) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const std::string_view name : children(path)) {
    const std::string child = child_path(path, name);
    const Key* key = find_key(child);
    if (key == nullptr ? is_required(child) : key->fallback.empty()) required.push_back(name);
    if (key == nullptr) properties[std::string(name)] = required_schema(child);
  }
  return {{"required", required}, {"properties", properties}};
}

}  // namespace

std::string machine_json_schema() {
  Json schema{{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", "tcsim machine"}};
  schema.update(section_schema(""));
  schema["properties"]["base"] = {
      {"type", "string"},
      {"minLength", 1},
      {"description", "Name or file of a machine; this file holds only what differs from it."}};
  schema["if"] = {{"required", {"base"}}};
  schema["then"] = {{"required", {"name"}}};
  schema["else"] = required_schema("");
  return schema.dump(2) + "\n";
}

}  // namespace tcsim::config
