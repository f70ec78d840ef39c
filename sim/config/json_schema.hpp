#pragma once

#include <string>

namespace tcsim::config {

/// The JSON Schema (draft 7) of machine files, made from the schema table, for editors and
/// checkers. It covers names, kinds, ranges and words. Only the reader checks rules between keys.
std::string machine_json_schema();

}  // namespace tcsim::config
