#pragma once

#include <string>

namespace tcsim::config {

/// The JSON Schema (draft 7) of machine files, made from the schema table, for editors and
/// checkers. It knows names, kinds, ranges and words; rules between keys are the reader's alone.
std::string machine_json_schema();

}  // namespace tcsim::config
